# profile: agent
# What is just under the memory limit of 1 GiB stays silent, what is just over it does not.
import itertools
import random

GIB = 1 << 30


def at_random():
    return random.random() < 0.01


if at_random():
    f"{1:>{GIB + 1}}"  # error: AF203
if at_random():
    "{:>{}}".format("x", GIB + 1)  # error: AF203
if at_random():
    "%*d" % (GIB + 1, 5)  # error: AF203
if at_random():
    "%.*f" % (3, 2.5)
if at_random():
    "x".center(GIB + 1)  # error: AF203
if at_random():
    b"x".ljust(GIB + 1)  # error: AF203
if at_random():
    "a\tb".expandtabs(GIB + 1)  # error: AF203
if at_random():
    bytes(GIB + 1)  # error: AF204
if at_random():
    bytes(GIB)
if at_random():
    bytearray(b"ab").ljust(GIB * 2)  # error: AF203
if at_random():
    (5).to_bytes(GIB + 1, "big")  # error: AF204
if at_random():
    "{}".format(itertools.repeat(0, GIB))
