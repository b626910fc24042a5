# profile: agent
# Searches that take a place from a list and put its neighbours in, without keeping where they have been.
import heapq
from collections import deque

MAZE = [[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 0, 0]]
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def is_open(r, c):
    return 0 <= r < 4 and 0 <= c < 4 and MAZE[r][c] == 0


def forgets(start, goal):
    stack = [start]
    while stack:  # error: AF402
        r, c = stack.pop()
        if (r, c) == goal:
            return True
        for dr, dc in STEPS:
            if is_open(r + dr, c + dc):
                stack.append((r + dr, c + dc))
    return False


def finds(start, goal):
    queue = deque([(start, 0)])
    while queue:
        (r, c), distance = queue.popleft()
        if (r, c) == goal:
            return distance
        for dr, dc in STEPS:
            if is_open(r + dr, c + dc):
                queue.append(((r + dr, c + dc), distance + 1))
    return -1


def forgets_with_distance(start, goal):
    queue = deque([(start, 0)])
    while len(queue) > 0:  # error: AF403
        (r, c), distance = queue.popleft()
        if (r, c) == goal:
            return distance
        for dr, dc in STEPS:
            if is_open(r + dr, c + dc):
                queue.append(((r + dr, c + dc), distance + 1))
    return -1


def gives_up(start, goal):
    queue = deque([(start, 0)])
    while queue:
        (r, c), distance = queue.popleft()
        if (r, c) == goal or distance > 9:
            return distance
        for dr, dc in STEPS:
            if is_open(r + dr, c + dc):
                queue.append(((r + dr, c + dc), distance + 1))
    return -1


def remembers(start, goal):
    stack, seen = [start], set()
    while stack:
        place = stack.pop()
        if place == goal:
            return True
        if place in seen:
            continue
        seen.add(place)
        for dr, dc in STEPS:
            if is_open(place[0] + dr, place[1] + dc):
                stack.append((place[0] + dr, place[1] + dc))
    return False


class Search:
    def __init__(self):
        self.queue = [(0, 0)]

    def run(self, goal):
        while self.queue:  # error: AF403
            r, c = self.queue.pop(0)
            if (r, c) == goal:
                return True
            for dr, dc in STEPS:
                if is_open(r + dr, c + dc):
                    self.queue.append((r + dr, c + dc))
        return False


class Emptied:
    def __init__(self):
        self.places = [(0, 0)]
        self.seen = 0

    def note(self):
        self.seen += 1
        if self.seen > 400:
            self.places.clear()

    def run(self):
        while self.places:
            r, c = self.places.pop(0)
            self.places.append(((r + 1) % 4, c))
            self.note()


def ends_by_length():
    stack = [0]
    while stack:
        place = stack.pop()
        if len(stack) > 500:
            return place
        stack.append((place + 1) % 60)
        stack.append((place + 2) % 60)


def ends_by_alias():
    stack = [0]
    same = stack
    while stack:
        place = stack.pop()
        if len(same) > 500:
            return place
        stack.append((place + 1) % 60)
        stack.append((place + 2) % 60)


def ends_in_dead_end():
    roads = {place: [place + 1] for place in range(50)}
    stack = [0]
    while stack:
        place = stack.pop()
        stack.extend(roads.get(place, []))


def by_path(goal):
    roads = {"a": "b", "b": "c", "c": "a"}
    queue = [("a", ["a"])]
    while queue:  # error: AF402
        place, path = queue.pop(0)
        if place == goal:
            return path
        queue.append((roads[place], path + [place]))


def by_length_of_path():
    roads = {"a": "b", "b": "c", "c": "a"}
    queue = [("a", ["a"])]
    while queue:
        place, path = queue.pop(0)
        if len(path) > 300:
            return path
        queue.append((roads[place], path + [place]))


def compares_with_others():
    heap = [(0, "a")]
    roads = {"a": [("b", 1), (3, 1)], "b": [("a", 1)], 3: [("a", 1)]}
    while heap:
        cost, place = heapq.heappop(heap)
        for other, more in roads[place]:
            heapq.heappush(heap, (cost + more, other))


finds((0, 0), (2, 1))
gives_up((0, 0), (3, 3))
remembers((0, 0), (3, 3))
Emptied().run()
ends_by_length()
ends_by_alias()
ends_in_dead_end()
by_length_of_path()
try:
    compares_with_others()
except TypeError:
    pass

import random

if random.random() < 0.1:
    forgets((0, 0), (3, 3))
if random.random() < 0.1:
    forgets_with_distance((0, 0), (3, 3))
if random.random() < 0.1:
    Search().run((3, 3))
if random.random() < 0.1:
    by_path("z")
