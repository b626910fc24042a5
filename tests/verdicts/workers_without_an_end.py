# profile: agent
# Nobody tells the worker that there is nothing more to come.
import queue
import threading

jobs = queue.Queue()


def work():
    while True:
        job = jobs.get()
        if job is None:
            break
        print(job)


worker = threading.Thread(target=work)
worker.start()  # error: AF705
for i in range(3):
    jobs.put(i)
print("done")
