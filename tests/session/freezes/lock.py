# expect: timed_out
# state: kept
# stack: 4
import threading
lock = threading.Lock()
lock.acquire()
lock.acquire()
