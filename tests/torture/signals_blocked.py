# expect: timed_out
# flags: --timeout 1
# stack: 3
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True: pass
