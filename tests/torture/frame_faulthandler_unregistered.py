# expect: timed_out
# flags: --timeout 1
# reason: does not handle the signal
import faulthandler, signal
faulthandler.unregister(signal.SIGURG)
while True: pass
