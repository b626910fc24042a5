# expect: timed_out
# flags: --timeout 1
import sys
while True:
    try: sys.exit(1)
    except BaseException: pass
