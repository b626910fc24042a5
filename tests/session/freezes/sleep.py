# expect: timed_out
# state: kept
# stack: 2
import time
time.sleep(1000)
