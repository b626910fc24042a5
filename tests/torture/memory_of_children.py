# expect: out_of_memory
# flags: --memory 200MiB
import os, time
for i in range(5):
    if os.fork() == 0:
        x = bytearray(b'x') * (60 << 20)
        time.sleep(600)
time.sleep(600)
