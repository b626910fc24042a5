# expect: timed_out
# modes: none
# flags: --timeout 1
import os, signal
keeper = os.getppid()
helper = int(open('/proc/%d/stat' % keeper).read().rsplit(')', 1)[1].split()[1])
os.kill(keeper, signal.SIGSTOP)
os.kill(helper, signal.SIGSTOP)
while True: pass
