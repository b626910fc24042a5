# profile: agent
# Comprehensions over pairs, within loops that are bounded.
import random


def weighted(start):
    n = start
    while True:  # error: AF404
        digits = str(n).zfill(4)
        if sum(int(c) * (i + 1) for i, c in enumerate(digits)) % 11 == 11:
            return n
        n += 1


def alike(start):
    n = start
    while any(a != b for a, b in zip(str(n), str(n))) or n > 0:  # error: AF404
        n += 1
    return n


def weighted_to_ten(start):
    n = start
    while True:
        digits = str(n).zfill(4)
        if sum(int(c) * (i + 1) for i, c in enumerate(digits)) % 11 == 10:
            return n
        n += 1


def kept_by_name():
    # An iterator with a name is where it was left.
    pairs = enumerate(range(50_000))
    rounds = 0
    while True:
        taken = [i for i, n in pairs if i < 1_000]
        rounds += 1
        if not taken:
            return rounds


if random.random() < 0.1:
    weighted(1000)
elif random.random() < 0.1:
    alike(1000)
print(weighted_to_ten(1000), kept_by_name())
