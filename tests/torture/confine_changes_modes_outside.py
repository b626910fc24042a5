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
attempt('chmod', lambda: os.chmod(__file__, 0o600))
attempt('chown', lambda: os.chown(__file__, 1, 1))
attempt('utime', lambda: os.utime(__file__))
attempt('xattr', lambda: os.setxattr(__file__, 'user.x', b'1'))
open('own', 'w').close()
os.chmod('own', 0o600)
os.utime('own')
