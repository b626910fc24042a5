# profile: agent
# What a thread waits for comes only after this one has waited for the thread.
import queue
import random
import threading

stop = threading.Event()
jobs = queue.Queue()
numbers = queue.Queue()


def hold():
    stop.wait()


def work():
    while True:
        job = jobs.get()
        if job is None:
            break
        print(job)


def count():
    while True:
        if numbers.get() < 0:
            break


def main():
    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()  # error: AF503
    stop.set()


if random.random() < 0.5:
    main()
elif random.random() < 0.5:
    worker = threading.Thread(target=count)
    worker.start()
    for i in range(3):
        numbers.put(i)
    worker.join()  # error: AF503
