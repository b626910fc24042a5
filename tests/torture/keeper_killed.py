# expect: timed_out
# expect-none: crashed
# flags: --timeout 1
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
os.kill(os.getppid(), 9)
time.sleep(600)
