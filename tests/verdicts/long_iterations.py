# profile: agent
# What is consumed in one call takes its time, what is passed over included; what stops early does not.
import random
from functools import reduce
from itertools import islice, product


def at_random():
    return random.random() < 0.01


if at_random():
    sum(range(10 ** 13))  # error: AF302
if at_random():
    total = max
    total(range(10 ** 12))  # error: AF302
if at_random():
    -1 in map(abs, range(10 ** 12))  # error: AF302
if at_random():
    reduce(lambda a, b: a * b, range(1, 10 ** 6))  # error: AF104
if at_random():
    all(n < 100 for n in range(10 ** 12))
if at_random():
    sum(1 // (10 - n) for n in range(10 ** 12))
if at_random():
    sum(islice(product(range(60), repeat=8), 3), ())
if at_random():
    77 in range(10 ** 15)
if at_random():
    sum(1 for a in range(100) for b in range(100) if a != b)
if at_random():
    next(n for n in range(10 ** 15) if n * n > 500)
