# expect: timed_out
# flags: --timeout 1
import atexit
def again():
    atexit.register(again)
    while True: pass
atexit.register(again)
