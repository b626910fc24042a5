# profile: agent
# What was put into a queue is never called done.
import queue
import threading


def work(jobs):
    while True:
        item = jobs.get()
        if item is None:
            break


jobs = queue.Queue()
thread = threading.Thread(target=work, args=(jobs,))
thread.start()
for n in range(3):
    jobs.put(n)
jobs.join()  # error: AF503
jobs.put(None)
thread.join()
