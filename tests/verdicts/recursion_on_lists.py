# profile: agent
# Calls with equal lists take equally long, whichever lists they are.
import random


def most(items, room):
    if not items or room == 0:
        return 0
    rest = most(items[1:], room)
    if items[0] > room:
        return rest
    return max(rest, items[0] + most(items[1:], room - items[0]))


def ways(values, at, left):
    if left == 0:
        return 1
    if at == len(values):
        return 0
    return ways(values, at + 1, left) + ways(values, at + 1, left - values[at])


def trees(n):
    if n <= 1:
        return 1
    return sum_of(n)  # error: AF603


def sum_of(n):
    total = 0
    for i in range(n):
        total += trees(i) * trees(n - i - 1)
    return total


if random.random() < 0.5:
    most([5] * 40, 10**9)  # error: AF603
if random.random() < 0.5:
    most(list(range(1, 13)), 50)
if random.random() < 0.5:
    ways([2 * n + 2 for n in range(60)], 0, 777)  # error: AF603
if random.random() < 0.5:
    ways([2 * n + 2 for n in range(10)], 0, 777)
if random.random() < 0.5:
    trees(30)
if random.random() < 0.5:
    trees(9)
text = "ab"
for _ in range(60):
    text = text + text[::-1]  # error: AF201
