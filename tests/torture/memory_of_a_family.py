# expect: finished
# flags: --memory 200MiB --timeout 30
import os, time
x = bytearray(b'x') * (100 << 20)
for i in range(8):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
for i in range(8): os.wait()
