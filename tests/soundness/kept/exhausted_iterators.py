import random
from collections import deque


def lists():
    xs = [1, 2]
    it = iter(xs)
    a = list(it)
    xs.append(3)
    return a, list(it), next(it, "end"), [x for x in it], sum(it)


def by_loop():
    xs = [1, 2]
    it = iter(xs)
    for x in it:
        pass
    xs.append(3)
    n = 0
    for x in it:
        n += 1
    return n


def by_next():
    xs = [1]
    it = iter(xs)
    next(it)
    try:
        next(it)
    except StopIteration:
        xs.append(2)
    return next(it, "end")


def not_asked():
    xs = [1]
    it = iter(xs)
    next(it)
    xs.append(2)
    return next(it, "end")


def wrapped():
    xs = [1]
    pairs = enumerate(xs)
    both = zip(xs, [1, 2, 3])
    doubled = map(lambda x: x * 2, xs)
    a = list(pairs), list(both), list(doubled)
    xs.append(2)
    return a, list(pairs), list(both), list(doubled)


def backwards():
    xs = [1, 2]
    it = reversed(xs)
    a = list(it)
    xs.append(3)
    return a, list(it)


def dicts():
    d = {1: 2}
    keys, values, items = iter(d), iter(d.values()), iter(d.items())
    a = list(keys), list(values), list(items)
    d[3] = 4
    return a, list(keys), list(values), list(items)


def sets():
    s = {1}
    it = iter(s)
    a = list(it)
    s.add(2)
    return a, list(it)


def grown_sets():
    s = {1}
    it = iter(s)
    next(it)
    s.add(2)
    try:
        return next(it, "end")
    except RuntimeError:
        return "changed"


def deques():
    d = deque([1])
    it = iter(d)
    list(it)
    d.append(2)
    try:
        return list(it)
    except RuntimeError:
        return "changed"


def unknown():
    xs = [1] * random.randint(1, 3)
    it = iter(xs)
    n = 0
    for x in it:
        n += 1
    xs.append(3)
    m = 0
    for x in it:
        m += 1
    return n >= 1, m


a = lists()
b = by_loop()
c = by_next()
d = not_asked()
e = wrapped()
f = backwards()
g = dicts()
h = sets()
i = grown_sets()
j = deques()
k = unknown()
