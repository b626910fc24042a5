# expect: timed_out
# flags: --timeout 1
# reason: does not handle the signal
import signal
for i in range(1, 65):
    try: signal.signal(i, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
