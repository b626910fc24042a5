# profile: agent
# Loops over lists that are known by their length.
import random


def pairs(numbers, total):
    found = 0
    for a in numbers:  # error: AF404
        for b in numbers:
            if a + b == total:
                found += 1
    return found


def triples(numbers, total):
    found = 0
    for i, a in enumerate(numbers):  # error: AF404
        for b in numbers:
            for c in numbers:
                found += a + b + c == total
    return found


def shrinks(numbers):
    rounds = 0
    for n in numbers:
        numbers.pop()
        for other in numbers:
            rounds += 1
            if rounds > 1000:
                numbers.clear()
                break
    return rounds


def advanced_elsewhere(numbers):
    ahead = iter(numbers)
    taken = 0
    for n in ahead:
        taken += 1
        for skipped in ahead:
            pass
    return taken


def first_of(numbers):
    for a in numbers:
        for b in numbers:
            if b > 70_000:
                return a, b


long = list(range(100_000))
if random.random() < 0.1:
    pairs(long, -1)
elif random.random() < 0.1:
    triples([n * n for n in range(9_000)], -1)
print(shrinks(list(range(100_000))), advanced_elsewhere(long), pairs(long[:1000], 7), first_of(long))

doubled = [0]
for _ in range(12):
    doubled = doubled + [n + 1 for n in doubled]
