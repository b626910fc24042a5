# profile: agent
# Loops that sleep and look again.
import asyncio
import os
import queue
import random
import signal
import threading
import time
from contextlib import contextmanager


def at_random():
    return random.random() < 0.01


class Job:
    def __init__(self):
        self.status = "pending"

    def refresh(self):
        self.status = "pending"


def wait_for(job, interval=0.5):
    while job.status != "done":  # error: AF502
        job.refresh()
        time.sleep(interval)


def wait_some(job, interval=0.5):
    for _ in range(3):
        if job.status == "done":
            return True
        time.sleep(interval)
    return False


if at_random():
    wait_for(Job())
if at_random():
    wait_some(Job())
if at_random():
    pause = time.sleep
    ready = []
    also = ready
    while not also:  # error: AF502
        pause(0.1)
if at_random():
    ready = []
    also = ready
    while not also:
        ready.append(1)
        time.sleep(0.1)
if at_random():
    event = threading.Event()
    while not event.wait(0.5):  # error: AF502
        print("not yet")
if at_random():
    event = threading.Event()
    event.set()
    while not event.wait(0.5):
        print("not yet")
if at_random():
    jobs = queue.Queue()
    while jobs.empty():  # error: AF502
        time.sleep(0.1)
if at_random():
    while True:  # error: AF406
        try:
            1 / 0
        except ZeroDivisionError:
            time.sleep(0.1)
if at_random():
    found = threading.Event()

    @contextmanager
    def holding():
        yield found

    with holding() as same:
        same.set()
    while not found.is_set():
        time.sleep(0.1)


async def alone():
    done = False
    while not done:  # error: AF502
        await asyncio.sleep(0.1)


if at_random():
    asyncio.run(alone())
if at_random():
    begun = threading.Event()

    def begin():
        begun.set()

    threading.Thread(target=begin).start()
    while not begun.is_set():
        time.sleep(0.1)
    # A thread may end the program from outside, so what follows is not certain.
    never = False
    while not never:  # warning: AF502
        time.sleep(0.1)
if at_random():
    while True:
        if os.path.exists("stop"):
            break
        time.sleep(0.1)
if at_random():
    while True:
        if os.path.exists("stop"):
            print("seen")
        time.sleep(0.1)
if at_random():
    while not os.environ.get("READY"):
        time.sleep(0.1)
