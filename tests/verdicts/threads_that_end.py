# profile: agent
# Threads that come to an end, or whose end somebody else decides.
import threading
import time

stopped = False
count = 0


def until_stopped():
    while not stopped:
        time.sleep(0.01)


def few():
    global count
    while count < 10:
        count += 1


def failing():
    while True:
        raise ValueError


class Worker:
    def __init__(self):
        self.running = True

    def loop(self):
        while self.running:
            time.sleep(0.01)


def by_argument(event):
    while not event.is_set():
        time.sleep(0.01)


worker = Worker()
local = threading.Event()
threads = [
    threading.Thread(target=until_stopped),
    threading.Thread(target=few),
    threading.Thread(target=failing),
    threading.Thread(target=worker.loop),
    threading.Thread(target=by_argument, args=(local,)),
]
for thread in threads:
    thread.start()
stopped = True
worker.running = False
local.set()
for thread in threads:
    thread.join()
