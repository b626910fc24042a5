# expect: timed_out
# flags: --timeout 1
# stack: 5
import socket, os
s = socket.socket(socket.AF_UNIX)
s.bind('s')
s.listen()
s.accept()
