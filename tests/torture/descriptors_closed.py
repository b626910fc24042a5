# expect: timed_out
# flags: --timeout 1
# reason: closed the descriptor
import os
os.closerange(3, 65536)
while True: pass
