# expect: out_of_memory
# flags: --memory 100MiB
import os, mmap
if os.fork() == 0:
    m = mmap.mmap(-1, 160 << 20)
    for i in range(0, 160 << 20, 4096): m[i] = 1
    os._exit(0)
os.wait()
