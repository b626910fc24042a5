# expect: out_of_memory
# flags: --memory 120MiB
import mmap, os
fd = os.open('/dev/shm/antifreeze-torture-%d-%s' % (os.getpid(), os.urandom(4).hex()), os.O_CREAT | os.O_RDWR)
os.unlink(os.readlink('/proc/self/fd/%d' % fd))
os.ftruncate(fd, 1 << 30)
m = mmap.mmap(fd, 1 << 30)
for i in range(0, 1 << 30, 4096): m[i] = 1
