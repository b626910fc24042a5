# profile: agent
# What only a child does keeps nobody waiting.
import os
import time

if os.fork() == 0:
    time.sleep(3600)  # warning: AF501
    os._exit(0)
print("parent")
for _ in range(100):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
