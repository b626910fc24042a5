# expect: finished timed_out
# flags: --timeout 1
import os, time
end = time.time() + 60
while time.time() < end:
    if os.fork(): os._exit(0)
