# expect: finished
# modes: ns
# flags: --confine --timeout 30
# stdout: ""
# abstract: yes
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
import os, socket
for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET6, socket.SOCK_STREAM),
                     (socket.AF_NETLINK, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW), (40, socket.SOCK_STREAM), (38, 5), (31, 3)):
    attempt('socket %d' % family, lambda: socket.socket(family, kind))
attempt('name', lambda: socket.create_connection(('localhost', 80), 2))
s = socket.socket(socket.AF_UNIX)
attempt('a host\'s abstract socket', lambda: s.connect('\0' + os.environ['ABSTRACT']))
a, b = socket.socketpair()
a.send(b'x')
if os.listdir('/run'): print('got away: services')
