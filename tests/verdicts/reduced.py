# profile: agent
import itertools
import random
from functools import reduce


def at_random():
    return random.random() < 0.01


if at_random():
    print(reduce(lambda a, b: (a * 31 + b) % 1009, range(10**12)))  # error: AF302
if at_random():
    print(reduce(lambda a, b: (a * 31 + b) % 1009, range(10**4)))
if at_random():
    print(reduce(lambda a, b: a + b, itertools.count()))  # error: AF301
