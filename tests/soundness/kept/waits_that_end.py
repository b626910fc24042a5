# Waits that somebody ends, or that have nothing to wait for.
import concurrent.futures
import sched
import selectors
import socket
import threading
import time
from multiprocessing.pool import ThreadPool

seen = []
events = sched.scheduler(time.time, time.sleep)
events.enter(0.01, 1, seen.append, ("late",))
events.enter(0.02, 1, seen.append, argument=("later",))
empty_before = events.empty()
result = events.run()
empty_after = events.empty()
one, other = socket.socketpair()
watching = selectors.DefaultSelector()
watching.register(one, selectors.EVENT_READ, data="one")
nothing = watching.select(0)
other.sendall(b"one\ntwo\n")
ready = len(watching.select())
lines = one.makefile("r")
first = lines.readline()
second = lines.readline()
other.close()
rest = lines.read()
barrier = threading.Barrier(2)
partner = threading.Thread(target=barrier.wait)
partner.start()
place = barrier.wait() in (0, 1)
partner.join()
alive = partner.is_alive()
condition = threading.Condition()
with condition:
    waited = condition.wait_for(lambda: 5)
    given_up = condition.wait_for(lambda: 0, 0.01)
with ThreadPool(2) as pool:
    squares = pool.map(abs, [-1, 2])
    promised = pool.apply_async(abs, (-3,)).get()
    starred = pool.starmap(pow, [(2, 3)])
future = concurrent.futures.Future()
done_before = future.done()
future.set_result(4)
done_after = future.done()
lock = threading.Lock()


def work(number):
    with lock:
        seen.append(number)
    with lock:
        return number


thread = threading.Thread(target=work, args=(1,))
thread.start()
thread.join()
held = lock.locked()
