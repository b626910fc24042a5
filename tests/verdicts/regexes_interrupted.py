# profile: agent
# A handler may raise while the matcher runs.
import re
import signal


def stop(number, frame):
    raise TimeoutError


signal.signal(signal.SIGALRM, stop)
signal.alarm(1)
try:
    re.search(r"(a+)+$", "a" * 45 + "!")  # warning: AF611
except TimeoutError:
    pass
