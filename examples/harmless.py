"""Looks dangerous and is not: every operation here stays within the default limits."""

import math
import time


def digits(base, exponent):
    """How many digits a power has, without computing it."""
    return math.floor(exponent * math.log10(base)) + 1


print("last digit:", pow(7, 10 ** 100, 10))
print("digits of 7 ** 10 ** 8:", digits(7, 10 ** 8))
print("bits:", (2 ** 999_999).bit_length())

n, steps = 27, 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
print("steps:", steps)

time.sleep(0.01)
total = sum(range(100_000))
total
