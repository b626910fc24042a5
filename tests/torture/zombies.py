# expect: finished
import os, time
for i in range(20):
    if os.fork() == 0: os._exit(0)
time.sleep(0.1)
