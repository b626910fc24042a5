# expect: out_of_memory
# flags: --memory 120MiB
import mmap
m = mmap.mmap(-1, 2 << 30)
for i in range(0, 2 << 30, 4096): m[i] = 1
