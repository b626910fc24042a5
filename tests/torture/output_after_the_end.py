# expect: finished
# stdout: "parent\n"
# killed: 1
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(3)
    print('late')
    os._exit(0)
print('parent')
