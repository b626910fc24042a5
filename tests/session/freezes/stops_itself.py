# expect: timed_out
# state: kept
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
