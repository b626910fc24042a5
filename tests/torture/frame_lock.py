# expect: timed_out
# flags: --timeout 1
# stack: 4
import threading
l = threading.Lock()
l.acquire()
l.acquire()
