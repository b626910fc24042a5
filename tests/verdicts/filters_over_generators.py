# profile: agent
# What a filter leaves of a generator is not followed behind an item nobody knows about. It comes from the program all the same,
# so that a test of it is not passed and failed at will.
import re


def few():
    for i in range(3):
        yield i


def is_low(n):
    return bool(re.match("[012]", str(n)))


for n in filter(is_low, few()):
    if n > 5:
        print(10 ** 10 ** 9)  # warning: AF101
