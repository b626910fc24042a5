# profile: agent
import threading
import time

stop = threading.Event()


def watch():
    while not stop.is_set():
        time.sleep(0.01)


def is_over():
    return stop.is_set()


print(is_over())
watcher = threading.Thread(target=watch)
watcher.start()
watcher.join()  # error: AF503
stop.set()
