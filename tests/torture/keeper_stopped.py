# expect: timed_out
# flags: --timeout 1
import os, signal
os.kill(os.getppid(), signal.SIGSTOP)
while True: pass
