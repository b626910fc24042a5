# `yield from` an iterator that may have ended: the values are neither certain nor endless.
import random


def inner(n):
    k = 0
    while k < n and k < 6:
        got = yield k * 2
        k += 1


def outer(n):
    global seen
    got = yield from inner(n)
    seen = 1
    yield 7


seen = 0
taken = list(outer(random.randint(0, 3)))
