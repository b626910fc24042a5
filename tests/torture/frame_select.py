# expect: timed_out
# flags: --timeout 1
# stack: 3
import select, socket
a, b = socket.socketpair()
select.select([a], [], [])
