# expect: finished
# expect-none: internal crashed
# state: advanced
# state-none: lost
import os, time
os.kill(os.getppid(), 9)
time.sleep(0.3)
