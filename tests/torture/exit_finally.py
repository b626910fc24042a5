# expect: timed_out
# flags: --timeout 1
import sys
try:
    sys.exit(0)
finally:
    while True: pass
