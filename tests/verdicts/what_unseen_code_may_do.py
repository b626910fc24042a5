# profile: agent
import queue
import threading

import helper


class Limits:
    def __init__(self):
        self.n = 10**9
        self.running = True


# Code that is not seen may change what it is given, and do for it what the program does nowhere.
limits = Limits()
helper.configure(limits)
print(2**limits.n)
while limits.running:
    print(".", end="")

event = threading.Event()
helper.later(event)
event.wait()

items = queue.Queue()
helper.start_workers(items)
items.put(1)
items.join()
