# expect: internal
# modes: none
# flags: --timeout 1
# late: yes
import os, time
keeper = os.getppid()
helper = int(open('/proc/%d/stat' % keeper).read().rsplit(')', 1)[1].split()[1])
os.kill(helper, 9)
time.sleep(600)
