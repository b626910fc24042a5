# profile: agent
# What passes over an endless iterator goes on, whether it finds something or not.
import random
from itertools import count, takewhile


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


if random.random() < 0.5:
    list(filter(lambda x: x * x < 500, count(1)))  # error: AF301
if random.random() < 0.5:
    list(takewhile(lambda x: x * x < 500, count(1)))
if random.random() < 0.5:
    sum(x for x in fibonacci() if x % 2 == 0)  # error: AF301
if random.random() < 0.5:
    sum(x for x in takewhile(lambda x: x < 10**6, fibonacci()) if x % 2 == 0)
# The function ends it.
if random.random() < 0.5:
    list(filter(lambda x: 1 // (1000 - x), count(1)))
