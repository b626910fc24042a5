# profile: agent
# What another thread, a handler or a helper may reach can end a wait.
import queue
import threading
import time


def opener(lock):
    time.sleep(0.01)
    lock.release()


lock = threading.Lock()
lock.acquire()
threading.Thread(target=opener, args=(lock,)).start()
lock.acquire()

event = threading.Event()
threading.Timer(0.01, event.set).start()
event.wait()

jobs = queue.Queue()


def produce():
    jobs.put(1)


threading.Thread(target=produce).start()
print(jobs.get())

full = queue.Queue(maxsize=1)
full.put(1)
threading.Thread(target=full.get).start()
full.put(2)

condition = threading.Condition()
try:
    condition.wait()
except RuntimeError:
    print("not held")
with condition:
    print(condition.wait(timeout=0.01))


def helper(event):
    event.set()


known = threading.Event()
helper(known)
known.wait()

gate = threading.Semaphore(2)
gate.acquire()
gate.acquire()
gate.release()
gate.acquire()

shared = threading.Lock()
shared.acquire()
held = [shared]
held[0].release()
shared.acquire()
shared.release()
with shared:
    print("once")
with shared:
    print("and again")
