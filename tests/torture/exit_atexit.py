# expect: timed_out
# flags: --timeout 1
import atexit, time
atexit.register(time.sleep, 60)
