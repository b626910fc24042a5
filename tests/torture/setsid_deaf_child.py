# expect: timed_out
# flags: --timeout 1
import os, signal, time
if os.fork() == 0:
    os.setsid()
    for i in range(1, 65):
        try: signal.signal(i, signal.SIG_IGN)
        except (OSError, ValueError): pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True: time.sleep(1)
while True: pass
