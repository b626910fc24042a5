# expect: crashed
# flags: --memory 200MiB
# status: 137
import os, time
x = bytearray(b'x') * (170 << 20)
time.sleep(0.1)
os.kill(os.getpid(), 9)
