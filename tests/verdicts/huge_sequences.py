# profile: agent
# What is just under the memory limit of 1 GiB stays silent, what is just over it does not.
import itertools
import operator
import random
from itertools import product

GIB = 1 << 30


def at_random():
    return random.random() < 0.01


if at_random():
    "x" * (GIB + 1)  # error: AF201
if at_random():
    "x" * GIB
if at_random():
    [0] * (GIB // 8 + 1)  # error: AF201
if at_random():
    [0] * (GIB // 8)
if at_random():
    (1, 2) * (GIB // 16 + 1)  # error: AF201
if at_random():
    operator.mul(b"ab", GIB)  # error: AF201
if at_random():
    row = [0] * 1000
    row *= 200_000  # error: AF201
if at_random():
    list(range(GIB // 8 + 1))  # error: AF202
if at_random():
    list(range(GIB // 8))
if at_random():
    list(map(str, range(GIB // 4)))  # error: AF202
if at_random():
    tuple(product(range(1000), repeat=3))  # error: AF202
if at_random():
    product(range(1000), repeat=3)
if at_random():
    sorted(range(GIB // 4), key=abs)  # error: AF202
if at_random():
    [*range(GIB // 4)]  # error: AF202
if at_random():
    set(range(GIB // 4))  # error: AF202
if at_random():
    "ab".join(["x" * 1000] * 2_000_000)  # error: AF202
if at_random():
    ("a" * 10_000).replace("a", "b" * 200_000)  # error: AF201

# No object is that large: these raise at once.
for huge in (
    lambda: "x" * 10 ** 20,
    lambda: [0] * 10 ** 19,
    lambda: bytes(10 ** 20),
    lambda: list(range(10 ** 20)),
    lambda: [*range(10 ** 20)],
    lambda: "x".ljust(10 ** 20),
    lambda: dict.fromkeys(range(10 ** 20)),
):
    try:
        huge()
    except (OverflowError, MemoryError):
        print("raised")
print(len([] * 10 ** 12), len("" * 10 ** 12), len(() * 10 ** 12))
