# profile: agent
# Threads, and what they share: it ends only by what somebody in the program does.
import queue
import random
import threading
import time


def at_random():
    return random.random() < 0.01


class Heartbeat:
    def __init__(self, interval=0.5):
        self.interval = interval
        self.running = True
        self.thread = threading.Thread(target=self._run)

    def start(self):
        self.thread.start()  # error: AF705

    def _run(self):
        while self.running:
            time.sleep(self.interval)


class Stoppable:
    def __init__(self):
        self.active = True
        self.thread = threading.Thread(target=self._run)

    def start(self):
        self.thread.start()

    def stop(self):
        self.active = False

    def _run(self):
        while self.active:
            time.sleep(0.1)


def drop(jobs):
    while True:
        jobs.get()


def answer(jobs):
    while True:
        jobs.get()
        jobs.task_done()


if at_random():
    Heartbeat().start()
if at_random():
    Stoppable().start()
if at_random():
    waiting = queue.Queue()
    threading.Thread(target=drop, args=(waiting,), daemon=True).start()
    waiting.put(1)
    waiting.join()
if at_random():
    alone = threading.Event()
    threading.Thread(target=print, args=("hello",)).start()
    alone.wait()  # error: AF503
if at_random():
    jobs = queue.Queue()
    threading.Thread(target=answer, args=(jobs,)).start()  # error: AF705
    jobs.put(1)
    jobs.join()
