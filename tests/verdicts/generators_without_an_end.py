# profile: agent
import random


def evens():
    k = 0
    while True:
        yield k
        k += 2


def some():
    k = 0
    while k < 50:
        yield k
        k += 2


def collect():
    return [x * x for x in evens() if x % 4 == 0]  # error: AF401


def collect_some():
    return [x * x for x in some() if x % 4 == 0]


def run_through():
    total = 0
    for x in evens():  # error: AF401
        if x < 100:
            total += x
    return total


def run_until():
    total = 0
    for x in evens():
        if x > 100:
            break
        total += x
    return total


def keyed():
    return {k: 0 for k in range(2 * 10**9)}  # error: AF202


def keyed_by_few():
    return {k % 10: 0 for k in range(10**5)}


print(collect_some(), run_until(), len(keyed_by_few()))
if random.random() < 0.1:
    collect()
elif random.random() < 0.1:
    run_through()
elif random.random() < 0.1:
    keyed()
