# expect: timed_out
# flags: --timeout 1
# stack: 3
import os
os.closerange(3, 256)
while True: pass
