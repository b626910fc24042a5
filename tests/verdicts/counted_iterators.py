# profile: agent
import itertools
import random


def at_random():
    return random.random() < 0.01


def lines():
    for n in itertools.count(1):
        yield f"line {n:05d}"


def numbered(first, step):
    while True:
        yield str(first)
        first += step


def doubled():
    n = 1
    while True:
        yield str(n)
        n *= 2


# A number that is counted does not get too long for its text, one that doubles does.
if at_random():
    print(list(lines()))  # error: AF301
if at_random():
    print(set(numbered(5, -3)))  # error: AF301
if at_random():
    print(sum(len(text) for text in doubled()))
if at_random():
    print([text for _, text in zip(range(3), lines())])

if at_random():
    print(",".join("%d" % n for n in itertools.count()))  # error: AF301
