# expect: finished
# status: 0
import os, time
for fd in range(3): os.close(fd)
if os.fork() == 0:
    time.sleep(600)
