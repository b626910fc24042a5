# profile: agent
# Queues that one thread alone puts into and takes from hold what was put.
import queue
import random

GRAPH = {1: [2, 3], 2: [1], 3: [1, 2], 4: [5], 5: [4]}


def drain():
    waiting = queue.Queue()
    for n in (1, 2, 3):
        waiting.put(n)
    total = 0
    while True:
        n = waiting.get()  # error: AF503
        if n is None:
            break
        total += n
    return total


def drain_to_the_last():
    waiting = queue.Queue()
    for n in (1, 2, 3, None):
        waiting.put(n)
    total = 0
    while True:
        n = waiting.get()
        if n is None:
            break
        total += n
    return total


def reach(start, goal):
    waiting = queue.Queue()
    waiting.put(start)
    while not waiting.empty():  # error: AF403
        node = waiting.get()
        if node == goal:
            return True
        for other in GRAPH.get(node, []):
            waiting.put(other)
    return False


def reach_once(start, goal):
    waiting, seen = queue.LifoQueue(), {start}
    waiting.put(start)
    while not waiting.empty():
        node = waiting.get()
        if node == goal:
            return True
        for other in GRAPH.get(node, []):
            if other not in seen:
                seen.add(other)
                waiting.put(other)
    return False


def in_order():
    last = queue.LifoQueue()
    first = queue.Queue()
    for n in range(4):
        last.put(n)
        first.put(n)
    assert last.get() == 3 and first.get() == 0
    return first.get() + last.get()


drain_to_the_last()
reach_once(1, 5)
in_order()
reach(1, 3)
if random.random() < 0.1:
    drain()
elif random.random() < 0.1:
    reach(1, 5)
