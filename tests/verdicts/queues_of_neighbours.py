# profile: agent
# Walks through a graph that come by the same places again and again.
import random
from collections import deque

graph = {"a": ["b", "c"], "b": ["a"], "c": ["a", "b"], "z": []}


def reach(graph, start, goal):
    waiting = deque([start])
    while waiting:  # error: AF402
        place = waiting.popleft()
        if place == goal:
            return True
        for other in graph[place]:
            waiting.append(other)
    return False


def reach_once(graph, start, goal):
    waiting, seen = deque([start]), {start}
    while waiting:
        place = waiting.popleft()
        if place == goal:
            return True
        for other in graph[place]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def pages(data, size=10):
    page = 1
    kept = []
    while page:  # error: AF403
        kept.extend(data[(page - 1) * size : page * size])
        page += 1
    return kept


if random.random() < 0.1:
    reach(graph, "a", "z")
if random.random() < 0.1:
    reach_once(graph, "a", "z")
if random.random() < 0.1:
    pages(list(range(35)))
