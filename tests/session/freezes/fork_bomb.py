# expect: too_many_processes
# state: kept
# killed: 10
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
