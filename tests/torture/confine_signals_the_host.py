# expect: finished
# modes: ns
# flags: --confine --timeout 30
# stdout: ""
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
import os, signal
for pid in [1, os.getppid(), int(os.environ['HOST_PID'])]:
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        attempt('signal %d to %d' % (number, pid), lambda: os.kill(pid, number))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
attempt('group', lambda: os.killpg(int(os.environ['HOST_PID']), signal.SIGKILL))
