# expect: timed_out
# flags: --timeout 1
# stack: 7
import os, signal, time
p = os.fork()
if p == 0:
    time.sleep(600)
time.sleep(0.1)
os.kill(p, signal.SIGSTOP)
os.waitpid(p, 0)
