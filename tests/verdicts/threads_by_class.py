# profile: agent
import threading
import time


class Poller(threading.Thread):
    def __init__(self, queue):
        super().__init__()
        self.queue = queue

    def run(self):
        while True:  # warning: AF502
            time.sleep(1)


class Daemon(threading.Thread):
    def __init__(self):
        threading.Thread.__init__(self, daemon=True)

    def run(self):
        while True:  # warning: AF502
            time.sleep(1)


class Job(threading.Thread):
    def __init__(self, n):
        super().__init__(name="job")
        self.n = n
        self.result = None

    def run(self):
        self.result = sum(range(self.n))


class Stoppable(threading.Thread):
    stop = False

    def run(self):
        while not self.stop:
            time.sleep(0.01)


jobs = [Job(i) for i in range(3)]
for job in jobs:
    job.start()
for job in jobs:
    job.join()
Daemon().start()
stoppable = Stoppable()
stoppable.start()
stoppable.stop = True
stoppable.join()
Poller([]).start()  # error: AF705
