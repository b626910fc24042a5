# profile: agent
# A generator that nobody holds any more runs to its end.
import threading

lock = threading.Lock()


def held():
    with lock:
        yield 1


next(held())
lock.acquire()
n = 0


def counted():
    global n
    try:
        yield n
    finally:
        n += 1


while n < 5:
    next(counted())
gate = threading.Semaphore(0)
gate.release(2)
gate.acquire()
gate.acquire()
other = threading.Lock()
other.acquire()
try:
    other.acquire(timeout=None)
except TypeError:
    print("no timeout")
plain = object()
try:
    while True:
        plain.x = 1
except AttributeError:
    print("it takes none")
