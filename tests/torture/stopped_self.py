# expect: timed_out
# flags: --timeout 1
# stack: 2|3
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
while True: pass
