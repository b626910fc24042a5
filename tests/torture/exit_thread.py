# expect: timed_out
# flags: --timeout 1
# threads: 2
import threading, time
def f():
    time.sleep(60)
threading.Thread(target=f).start()
