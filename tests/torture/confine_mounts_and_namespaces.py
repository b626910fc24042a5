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
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0: print('got away: mount')
if libc.umount2(b'/tmp', 2) == 0: print('got away: umount')
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000):
    if libc.unshare(flag) == 0: print('got away: unshare %x' % flag)
if libc.chroot(b'.') == 0: print('got away: chroot')
if libc.syscall(425, 8, 0) >= 0 or ctypes.get_errno() != 1: print('got away: io_uring')
if libc.syscall(321, 0, 0, 0) >= 0 or ctypes.get_errno() != 1: print('got away: bpf')
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
if int(status['CapEff'], 16) or int(status['CapBnd'], 16) or status['NoNewPrivs'].strip() != '1': print('got away: privileges')
