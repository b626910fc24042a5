# expect: finished
# stdout: "fine\n"
import mmap, threading, time
m = mmap.mmap(-1, 6 << 30, prot=mmap.PROT_READ)
ts = [threading.Thread(target=time.sleep, args=(0.1,)) for i in range(30)]
for t in ts: t.start()
for t in ts: t.join()
print('fine')
