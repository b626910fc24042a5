# profile: agent
import heapq
import itertools
import random


def at_random():
    return random.random() < 0.01


if at_random():
    print(next(filter(lambda n: n < 0, itertools.count())))  # error: AF301
if at_random():
    print(next(itertools.dropwhile(lambda n: n >= 0, itertools.count(1))))  # error: AF301
if at_random():
    print(next(filter(lambda n: n > 50, itertools.count())))

calls = 0


def enough(n):
    global calls
    calls += 1
    return calls > 50_000


if at_random():
    print(next(filter(enough, itertools.count())))
if at_random():
    print(list(itertools.islice(itertools.count(), None)))  # error: AF301
if at_random():
    print(list(itertools.chain.from_iterable(zip(itertools.cycle("ab"), itertools.cycle("cd")))))  # error: AF301
if at_random():
    print(list(heapq.merge(itertools.count(), itertools.count(1))))  # error: AF301
if at_random():
    print(list(itertools.islice(heapq.merge(itertools.count(), [1, 2]), 3)))
if at_random():
    print(heapq.nlargest(2, itertools.count()))  # error: AF301
