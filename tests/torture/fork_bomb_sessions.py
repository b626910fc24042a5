# expect: too_many_processes
# modes: ns
# flags: --timeout 10
# wrap: bomb
import os
while True:
    try:
        if os.fork() == 0: os.setsid()
    except OSError: pass
