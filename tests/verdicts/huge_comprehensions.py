# profile: agent
# What is just under the memory limit of 1 GiB stays silent, what is just over it does not.
import random

GIB = 1 << 30


def at_random():
    return random.random() < 0.01


if at_random():
    [n for n in range(GIB // 8 + 1)]  # error: AF202
if at_random():
    [n for n in range(GIB) if n % 1000 == 0]
if at_random():
    [[0] * 100_000 for _ in range(100_000)]  # error: AF202
