# expect: timed_out
# flags: --timeout 1
# stack: 2|3|4
import signal
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while True: pass
