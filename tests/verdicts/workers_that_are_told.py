# profile: agent
import queue
import threading
import time

jobs, answers, orders = queue.Queue(), queue.Queue(), queue.Queue()
stop, late = threading.Event(), threading.Event()


def work(source):
    while True:
        job = source.get()
        if job is None:
            break
        answers.put(job)


def watch(event):
    while not event.is_set():
        time.sleep(0.01)


def ends(source):
    source.put(None)


worker = threading.Thread(target=work, args=(jobs,))
worker.start()
for i in range(3):
    jobs.put(i)
jobs.put(None)
worker.join()
other = threading.Thread(target=work, args=(orders,))
other.start()
threading.Thread(target=ends, args=(orders,)).start()
other.join()
watcher = threading.Thread(target=watch, args=(stop,))
watcher.start()
stop.set()
watcher.join()
second = threading.Thread(target=watch, args=(late,))
second.start()
threading.Timer(0.05, late.set).start()
second.join()
third = threading.Thread(target=work, args=(answers,))
third.start()
answers.put(None)
third.join(1)
