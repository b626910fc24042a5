# expect: timed_out
# flags: --timeout 1
# stack: 5
import faulthandler
faulthandler.enable()
faulthandler.disable()
faulthandler.cancel_dump_traceback_later()
while True: pass
