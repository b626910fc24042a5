# expect: finished
# flags: --memory 100MiB --timeout 30
import mmap
with open('big', 'w+b') as f:
    f.truncate(250 << 20)
    m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
    n = sum(m[i] for i in range(0, 250 << 20, 4096))
    import time; time.sleep(0.1)
