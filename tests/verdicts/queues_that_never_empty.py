# profile: agent
import heapq
import random
from collections import deque

graph = {"a": ["b"], "b": ["c"], "c": ["a"]}
tree = {"a": ["b", "c"], "b": [], "c": []}


def walk(graph, start, goal):
    queue = deque([start])
    while queue:  # error: AF402
        node = queue.popleft()
        if node == goal:
            return True
        for other in graph[node]:
            queue.append(other)
    return False


def walk_to_the_end(graph, start, goal):
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node == goal:
            return True
        for other in graph[node]:
            queue.append(other)
    return False


def double():
    queue = deque([1])
    while queue:  # error: AF402
        node = queue.popleft()
        queue.append(node * 2)
        queue.append(node * 2 + 1)


def double_for_a_while():
    queue = deque([1])
    while queue:
        node = queue.popleft()
        if node < 1000:
            queue.append(node * 2)
            queue.append(node * 2 + 1)


def cheapest():
    heap = [(0, 1)]
    while heap:  # error: AF402
        cost, node = heapq.heappop(heap)
        heapq.heappush(heap, (cost + 1, node * 2))
        heapq.heappush(heap, (cost + 2, node + 1))


def cheapest_first():
    heap = [(0, 1)]
    best = {}
    while heap:
        cost, node = heapq.heappop(heap)
        if node in best or node > 50:
            continue
        best[node] = cost
        heapq.heappush(heap, (cost + 1, node * 2))
        heapq.heappush(heap, (cost + 2, node + 1))
    return best


def asserts():
    stack = [1]
    while stack:
        value = stack.pop()
        stack.append(value + 1)
        assert value < 3000


def outgrows():
    numbers = [3]
    for n in numbers:  # error: AF405
        numbers.append(n * 3 + 1)


def outgrows_by_position():
    pairs = [0]
    for i, item in enumerate(pairs):  # error: AF405
        pairs.append((i, item))


def stops_growing():
    numbers = [3]
    for i, n in enumerate(numbers):
        if i < 5:
            numbers.append(n)
    for n in numbers:
        numbers.append(n + 1)
        if len(numbers) > 500:
            break
    return numbers


walk_to_the_end(tree, "a", "z")
double_for_a_while()
cheapest_first()
stops_growing()
try:
    asserts()
except AssertionError:
    pass
if random.random() < 0.1:
    walk(graph, "a", "z")
elif random.random() < 0.1:
    double()
elif random.random() < 0.1:
    cheapest()
elif random.random() < 0.1:
    outgrows()
elif random.random() < 0.1:
    outgrows_by_position()
