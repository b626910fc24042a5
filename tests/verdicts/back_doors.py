# profile: agent
# Functions replaced where no assignment shows.
import math
from unittest import mock


def f(n):
    return n if n < 2 else f(n - 1) + f(n - 2)


with mock.patch("math.factorial", return_value=3):
    math.factorial(10**8)  # warning: AF104
f.__globals__["f"] = lambda n: 0
f(80)  # warning: AF603
