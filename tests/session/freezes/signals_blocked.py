# expect: timed_out
# state: kept
# stack: 3
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
time.sleep(1000)
