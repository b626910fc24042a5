# profile: agent
import heapq
import random
from dataclasses import dataclass, field
from functools import cached_property, lru_cache


class Task:
    def __init__(self, priority, name):
        self.priority, self.name = priority, name

    def __lt__(self, other):
        return self.priority < other.priority


@dataclass(order=True)
class Item:
    priority: int
    name: str = field(compare=False)


def again(kind):
    heap = []
    for priority, name in ((2, "b"), (1, "a"), (3, "c")):
        heapq.heappush(heap, kind(priority, name))
    while heap:  # error: AF402
        task = heapq.heappop(heap)
        if task.name == "a":
            heapq.heappush(heap, kind(task.priority, task.name))


def later(kind):
    heap = [kind(2, "b"), kind(1, "a"), kind(3, "c")]
    heapq.heapify(heap)
    while heap:
        task = heapq.heappop(heap)
        if task.name == "a" and task.priority < 5:
            heapq.heappush(heap, kind(task.priority + 1, task.name))


class Job:
    def __init__(self, left):
        self.left = left

    @cached_property
    def once(self):
        return self.left <= 0

    @property
    def now(self):
        return self.left <= 0


def asks_once(job):
    while not job.once:  # error: AF403
        job.left -= 1


def asks_each_time(job):
    while not job.now:
        job.left -= 1


def asks_once_again(job):
    while not job.once:
        job.left -= 1
        job = Job(job.left)


state = {"left": 3}


@lru_cache(maxsize=None)
def is_done(name):
    return state["left"] <= 0


@lru_cache(maxsize=None)
def is_little(left):
    return left <= 0


def asks_the_cache():
    while not is_done("job"):  # error: AF403
        state["left"] -= 1


def asks_with_what_changes():
    left = 3
    while not is_little(left):
        left -= 1


later(Task)
later(Item)
asks_each_time(Job(3))
asks_once_again(Job(3))
asks_with_what_changes()
if random.random() < 0.1:
    again(Item)
if random.random() < 0.1:
    again(Task)
if random.random() < 0.1:
    asks_once(Job(3))
if random.random() < 0.1:
    asks_the_cache()
