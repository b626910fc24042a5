# profile: agent
# Queues that hold lists, dicts and instances made on the way.
import heapq
import random
from collections import deque

GRAPH = {"A": ["B", "C"], "B": ["A", "D"], "C": ["A", "D"], "D": ["B", "C"], "E": ["F"], "F": ["E"]}
ROADS = {"a": {"b": 1, "c": 4}, "b": {"a": 1, "c": 2}, "c": {"a": 4, "b": 2}, "d": {}}


def shortest(start, goal):
    queue = deque([(start, [start])])
    while queue:  # error: AF402
        node, path = queue.popleft()
        if node == goal:
            return path
        for other in GRAPH[node]:
            queue.append((other, path + [other]))
    return None


def shortest_once(start, goal):
    queue, seen = deque([(start, [start])]), {start}
    while queue:
        node, path = queue.popleft()
        if node == goal:
            return path
        for other in GRAPH[node]:
            if other not in seen:
                seen.add(other)
                queue.append((other, path + [other]))
    return None


def paths():
    waiting = [[1]]
    while waiting:  # error: AF402
        path = waiting.pop(0)
        if path[-1] == 7:
            break
        for n in (1, 2):
            longer = list(path)
            longer.append(n)
            waiting.append(longer)


def paths_up_to(length):
    waiting = [[1]]
    done = []
    while waiting:
        path = waiting.pop(0)
        if len(path) == length:
            done.append(path)
            continue
        for n in (1, 2):
            waiting.append(path + [n])
    return done


def cheapest(start, goal):
    heap = [(0, start)]
    while heap:  # error: AF402
        cost, node = heapq.heappop(heap)
        if node == goal:
            return cost
        for other, more in ROADS[node].items():
            heapq.heappush(heap, (cost + more, other))
    return -1


def cheapest_once(start, goal):
    heap, seen = [(0, start)], set()
    while heap:
        cost, node = heapq.heappop(heap)
        if node == goal:
            return cost
        if node in seen:
            continue
        seen.add(node)
        for other, more in ROADS[node].items():
            heapq.heappush(heap, (cost + more, other))
    return -1


class Task:
    def __init__(self, number):
        self.number = number


def tasks(last):
    waiting = [Task(0)]
    done = 0
    while waiting:  # error: AF402
        task = waiting.pop()
        done += 1
        if task.number != last:
            waiting.append(Task(task.number + 2))
            waiting.append(Task(task.number + 4))
        else:
            waiting.append(Task(0))
    return done


def tasks_to_the_last(last):
    waiting = [Task(0)]
    done = 0
    while waiting:
        task = waiting.pop()
        done += 1
        if task.number < last:
            waiting.append(Task(task.number + 2))
            waiting.append(Task(task.number + 4))
    return done


def keys_alone():
    waiting = ["a"]
    while waiting:  # error: AF402
        for other in ROADS[waiting.pop()]:
            waiting.append(other)


def held_by_two():
    # What is emptied through another name is not what it was.
    waiting, same = [], []
    for n in range(40):
        one = [n]
        waiting.append(one)
        same.append(one)
        if n >= 20:
            same[n - 20].clear()
    rounds = 0
    while any(waiting) and rounds < 10_000:
        same[rounds % 40].clear()
        rounds += 1
    return rounds


print(shortest_once("A", "E"), len(paths_up_to(6)), cheapest_once("a", "d"), tasks_to_the_last(9), held_by_two())
if random.random() < 0.1:
    shortest("A", "E")
elif random.random() < 0.1:
    paths()
elif random.random() < 0.1:
    cheapest("a", "d")
elif random.random() < 0.1:
    tasks(9)
elif random.random() < 0.1:
    keys_alone()
print(cheapest("a", "c"), shortest("A", "D"))
