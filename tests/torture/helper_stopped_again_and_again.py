# expect: timed_out internal
# modes: none
# flags: --timeout 1
import os, signal
keeper = os.getppid()
helper = int(open('/proc/%d/stat' % keeper).read().rsplit(')', 1)[1].split()[1])
while True:
    os.kill(keeper, signal.SIGSTOP)
    os.kill(helper, signal.SIGSTOP)
