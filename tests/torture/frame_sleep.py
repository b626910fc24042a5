# expect: timed_out
# flags: --timeout 1
# stack: 3
import time

time.sleep(60)
