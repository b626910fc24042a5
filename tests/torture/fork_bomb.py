# expect: too_many_processes
# flags: --timeout 10
# wrap: bomb
import os
while True:
    try: os.fork()
    except OSError: pass
