# expect: timed_out
# flags: --timeout 1
# reason: did not say in time
import signal
for i in range(1, 65):
    try: signal.signal(i, lambda *a: None)
    except (OSError, ValueError): pass
while True: pass
