# A key that is one of a few, all of which are there or none.
import random

names = {"a": 1, "b": 2, "c": 3}
one = random.choice(["a", "b"])
names[one] = 7
got, there = names.get(one, -1), one in names
numbers = {1: [2], 2: [1, 3], 3: [2]}
place = random.choice([1, 3])
around = numbers.get(place, [])
away = random.choice([5, 6]) in numbers
grid = {(r, c): r * c for r in range(3) for c in range(3)}
corner = (random.choice([0, 2]), random.choice([0, 2]))
held = grid[corner]
grid[corner] = -1
missing = grid.get((random.choice([2, 3]), 0), "none")
cells = [0] * 6
for _ in range(20):
    cells[random.randrange(4)] = 1
    cells[-random.randint(1, 2)] = 2
kept = 0 in cells
marks = {}
for turn in range(5):
    marks[random.choice(["x", "y"])] = turn
marks.setdefault("x", -1)
marks.setdefault("y", -1)
marks[random.choice(["x", "y"])] = "last"
both, size = ("x" in marks, "y" in marks), len(marks)
