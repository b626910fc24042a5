# profile: agent
# Objects with the same contents are not the same: what is done to one of them is seen under all its names.
import random

a = b = c = d = e = f = g = h = [0]
while a is b:
    a, b, c, d, e, f, g, h = b, c, d, e, f, g, h, list(a)

a = b = c = d = e = f = g = h = [0]
while True:
    a.append(1)
    if len(b) == 1:
        break
    a.pop()
    a, b, c, d, e, f, g, h = b, c, d, e, f, g, h, list(a)


class Held:
    def __init__(self, cells):
        self.cells = cells
        self.first = cells


def until_apart(held):
    others = [held.cells] * 6
    while held.cells is held.first:
        others.append(list(held.cells))
        held.cells = others.pop(0)
    return others


until_apart(Held([0, 1]))


def until_another(rounds):
    # What is only appended to under one name is read under another.
    kept = [[0]]
    seen = kept
    now = kept[0]
    while now is seen[-1]:
        kept.append(now)
        now = list(now) if len(seen) > rounds else now
    return len(kept)


until_another(6)


# The same states again, in objects that are made anew.
class Board:
    def __init__(self, size):
        self.rows = [[(r + c) % 2 for c in range(size)] for r in range(size)]

    def step(self):
        self.rows = [[1 - cell for cell in row] for row in self.rows]

    def is_empty(self):
        return not any(any(row) for row in self.rows)


def play(size):
    board = Board(size)
    steps = 0
    while not board.is_empty():  # error: AF402
        board.step()
        steps += 1
    return steps


def merged(intervals):
    i = 0
    while i < len(intervals) - 1:  # error: AF401
        a, b = intervals[i], intervals[i + 1]
        if b[0] <= a[1]:
            intervals[i] = [a[0], max(a[1], b[1])]
            intervals[i + 1] = list(intervals[i])
        else:
            i += 1
    return intervals


merged([[1, 2], [4, 6]])
play(0)
if random.random() < 0.1:
    merged([[1, 3], [2, 6], [8, 10]])
elif random.random() < 0.1:
    play(3)
