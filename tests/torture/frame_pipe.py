# expect: timed_out
# flags: --timeout 1
# stack: 3
import os
r, w = os.pipe()
os.read(r, 1)
