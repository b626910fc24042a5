# expect: finished
# flags: --output 1000
# truncated: 1000
import os
os.write(1, b'x' * 2000)
