# profile: agent
# What a number leaves by 2, 3 or 6 stays known through sums and products, and where loops go on without end.
import random
from itertools import count

if random.random() < 0.1:
    n = 12
    while n % 2 == 0:  # error: AF403
        n += random.choice([2, 4])

if random.random() < 0.1:
    place = 0
    while place != 5:  # error: AF403
        place = random.choice([0, place + 2, place - 4])

if random.random() < 0.1:
    found = next(i for i in count(2, 2) if i % 2 == 1)  # error: AF401


def next_prime(n):
    candidate = n + 1
    while not all(candidate % d for d in range(2, candidate)):  # error: AF403
        candidate += 2
    return candidate


def odd_ones(items):
    for x in items:  # error: AF405
        if x % 2 == 1:
            items.append(x + 2)
    return items


def measure(x, y, target):
    queue = [(0, 0)]
    while queue:  # error: AF402
        a, b = queue.pop(0)
        if a == target or b == target:
            return True
        move = min(a, y - b)
        queue.append((x, b))
        queue.append((a, y))
        queue.append((a - move, b + move))
        queue.append((0, b))
    return False


def halves(n):
    k = 8 * n + 4
    while k & 3 != 1:  # error: AF403
        k = k * 5 if k % 8 == 4 else k + 8
    return k


if random.random() < 0.1:
    next_prime(11)
if random.random() < 0.1:
    odd_ones([1, 2, 3])
if random.random() < 0.1:
    measure(6, 4, 5)
if random.random() < 0.1:
    halves(random.randrange(10))


# The same with an end.
n = 12
while n % 2 == 0:
    n += random.choice([1, 2])
place = 0
while place != 4:
    place = random.choice([0, place + 2, place - 4])
found = next(i for i in count(1, 2) if i % 3 == 0)
print(next(i for i in count(2, 2) if i % 6 == 4))


def next_prime_from(n):
    candidate = n + 1 + n % 2
    while not all(candidate % d for d in range(2, candidate)):
        candidate += 2
    return candidate


def odd_ones_for_a_while(items):
    for x in items:
        if x % 2 == 1:
            items.append(x + 3)
    return items


def measure_once(x, y, target):
    queue, seen = [(0, 0)], set()
    while queue:
        a, b = queue.pop(0)
        if a == target or b == target:
            return True
        if (a, b) in seen:
            continue
        seen.add((a, b))
        move = min(a, y - b)
        queue.append((x, b))
        queue.append((a, y))
        queue.append((a - move, b + move))
        queue.append((0, b))
    return False


def halves_at_last(n):
    k = 8 * n + 4
    while k & 3 != 1:
        k = k // 2 if k % 2 == 0 else k + 2
    return k


print(next_prime_from(11), odd_ones_for_a_while([1, 2, 3]), measure_once(6, 4, 5), measure(5, 3, 4), halves_at_last(3))
