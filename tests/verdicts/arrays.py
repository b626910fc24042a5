# profile: agent
import os
import random
import secrets
from array import array

import numpy as np

few = array("d", [0.0]) * 1000
many = array("q", [0]) * 1_000_000_000  # error: AF201
few *= 1_000_000_000  # error: AF201
print(len(few), sum(few), few[3])
wide = array("d", (n * 0.5 for n in range(10**11)))  # error: AF202
# An item that does not fit ends it early.
try:
    array("i", range(10**11))
except OverflowError:
    pass

print(len(secrets.token_bytes(10**10)))  # error: AF204
print(len(os.urandom(10**10)))  # error: AF204
print(len(random.randbytes(10**3)))

row = np.arange(10_000)
print(np.tile(row, 3).sum(), np.outer(row, 2).shape)
print(np.tile(row, (1_000_000, 1)))  # error: AF204
print(np.repeat([1, 2], 2_000_000_000))  # error: AF204
print(np.outer(np.ones(100_000), row))  # error: AF204
print(np.meshgrid(row, np.linspace(0, 1, 100_000)))  # error: AF204
generator = np.random.default_rng(1)
print(generator.normal(size=10).sum())
print(generator.normal(0, 1, (100_000, 100_000)))  # error: AF204
print(np.random.randint(0, 9, size=(100_000, 100_000)))  # error: AF204
