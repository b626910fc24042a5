# expect: out_of_memory raised
# modes: ns
# flags: --confine --memory 100MiB --timeout 30
# stdout: ""
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
with open('/tmp/big', 'wb') as f:
    for i in range(300): f.write(b'x' * (1 << 20))
import time
time.sleep(20)
