# expect: timed_out
# flags: --timeout 1
# stack: 5
# threads: 5
import threading, time
def wait(): time.sleep(600)
ts = [threading.Thread(target=wait) for i in range(4)]
for t in ts: t.start()
for t in ts: t.join()
