# profile: agent
import threading
import time

stop = threading.Event()


def watch():
    while not stop.is_set():
        time.sleep(0.01)


def is_over():
    return stop.is_set()


def wait():
    while not is_over():
        pass
    stop.wait()


print(is_over())
watcher = threading.Thread(target=watch)
watcher.start()
print(is_over())
stop.set()
wait()
watcher.join()
