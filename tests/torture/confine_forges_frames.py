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
import os, socket, struct
for fd in range(3, 1100):
    for frame in (b'\x05\0\0\0dnull1', b'\x02\0\0\0z{}', b'\x02\0\0\0K\0', struct.pack('<IB', 5 << 20, 100) + b'[' + b'0,' * (5 << 19) + b'0]'):
        try:
            os.set_blocking(fd, False)
            os.write(fd, frame)
        except OSError:
            pass
