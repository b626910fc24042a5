# expect: finished
# modes: ns
# flags: --confine --timeout 30
# stdout: ""
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
import os
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) != os.getpid():
        for fd in range(64):
            attempt('fd %d of %s' % (fd, name), lambda: os.readlink('/proc/%s/fd/%d' % (name, fd)))
            attempt('fd %d of %s' % (fd, name), lambda: open('/proc/%s/fd/%d' % (name, fd), 'rb'))
        attempt('root of ' + name, lambda: os.listdir('/proc/%s/root' % name))
        attempt('cwd of ' + name, lambda: os.listdir('/proc/%s/cwd' % name))
own = [os.readlink('/proc/self/fd/' + name) for name in os.listdir('/proc/self/fd') if os.path.islink('/proc/self/fd/' + name)]
for target in own:
    if target.startswith('/') and not target.startswith(('/dev/null', '/proc')): print('got away:', target)
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.syscall(434, 1, 0)
for number in range(10):
    if fd >= 0 and libc.syscall(438, fd, number, 0) >= 0: print('got away: descriptor', number)
