# Objects that a loop makes, thousands of them, in one container.
import queue
import random
from collections import deque

waiting = deque([[0]])
rounds = 0
while len(waiting) < 3000:
    path = waiting.popleft()
    for n in (1, 2):
        waiting.append(path + [n])
    rounds += 1
first, last = waiting[0], waiting[-1]
last.append(9)
third = waiting[2]


class Task:
    made = 0

    def __init__(self, number, parent):
        self.number, self.parent, self.children = number, parent, []
        if parent is not None:
            parent.children.append(self)


root = Task(0, None)
tasks = [root]
for n in range(random.choice([300, 3000])):
    tasks.append(Task(n, tasks[n // 2]))
number, parent, depth = tasks[-1].number, tasks[-1].parent.number, len(tasks[7].children)

numbers = list(range(70_000))
squares = [n * n for n in numbers]
length, some = len(squares), squares[100]
pairs = [[n] for n in numbers]
pairs[5].append(1)
sixth, seventh = pairs[5], pairs[6]

one = queue.Queue()
for n in range(3):
    one.put(n)
taken, left, is_empty = one.get(), one.qsize(), one.empty()
for _ in range(random.choice([2, 5])):
    one.put("x")
more = one.get(), one.get(), one.get()
