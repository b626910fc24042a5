# expect: finished
# modes: ns
# flags: --confine --timeout 30
# stdout: ""
# killed: 1
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(0.1)
