# Instances are compared by their own methods where a heap orders them, and a cached property is asked once.
import heapq
from dataclasses import dataclass, field
from functools import cached_property, lru_cache


class Task:
    def __init__(self, priority, name):
        self.priority, self.name = priority, name

    def __lt__(self, other):
        return self.priority < other.priority

    @cached_property
    def label(self):
        return f"{self.name}{self.priority}"


@dataclass(order=True)
class Item:
    priority: int
    name: str = field(compare=False)


def order(kind):
    heap = [kind(priority, name) for priority, name in ((4, "d"), (1, "a"), (3, "c"), (2, "b"))]
    heapq.heapify(heap)
    heapq.heappush(heap, kind(0, "z"))
    return "".join(heapq.heappop(heap).name for _ in range(5))


by_method = order(Task)
by_fields = order(Item)
task = Task(1, "t")
first = task.label
task.priority = 2
second = task.label
calls = []


@lru_cache(maxsize=2)
def double(n):
    calls.append(n)
    return 2 * n


total = double(1) + double(2) + double(1) + double(3) + double(2)
made = len(calls)
words = [""]
for _ in range(12):
    words = [word + letter for word in words for letter in "ab"]
count = len(words)
