# profile: agent
# What consumes an iterator without an end never returns; what may stop at an item, or raise, does.
import itertools
import random
from collections import Counter, deque
from itertools import chain, count, cycle, repeat
from itertools import count as numbers

if random.random() < 0.1:
    list(count())  # error: AF301
if random.random() < 0.1:
    forever = numbers
    sum(forever(1, 2))  # error: AF301
if random.random() < 0.1:
    sorted(itertools.cycle([2, 1]))  # error: AF301
if random.random() < 0.1:
    max(n * n for n in count())  # error: AF301
if random.random() < 0.1:
    any(map(lambda n: n < 0, count()))  # error: AF301
if random.random() < 0.1:
    "x" in cycle("ab")  # error: AF301
if random.random() < 0.1:
    deque(count(), maxlen=3)  # error: AF301
if random.random() < 0.1:
    Counter(cycle("ab"))  # error: AF301
if random.random() < 0.1:
    dict(enumerate(repeat(None)))  # error: AF301
if random.random() < 0.1:
    set(zip(count(), repeat(1)))  # error: AF301
if random.random() < 0.1:
    "".join(repeat("spam"))  # error: AF301
if random.random() < 0.1:
    print(*count())  # error: AF301
if random.random() < 0.1:
    first, *rest = cycle("ab")  # error: AF301
if random.random() < 0.1:
    {}.update(zip(count(), count()))  # error: AF301
if random.random() < 0.1:
    [].extend(chain([1], count()))  # error: AF301
if random.random() < 0.1:
    len(set(iter(int, 1)))  # error: AF301


def naturals():
    n = 0
    while True:
        yield n
        n += 1


def drained():
    return sum(naturals())  # error: AF301


def first_negative():
    return -1 in naturals()  # error: AF301


if random.random() < 0.1:
    drained()
if random.random() < 0.1:
    first_negative()

# These end, one way or another.
print(40 in (2 * n for n in count()), any(n > 7 for n in naturals()), all(n < 5 for n in count()))
print(list(zip("abc", count())), list(itertools.islice(naturals(), 3)), 3 in count(), next(cycle("ab")))
print(list(itertools.takewhile(lambda n: n < 5, count())), 2 in cycle([1, 2]), dict(zip("ab", cycle([1]))))
print([n for n, _ in zip(naturals(), range(3))], max(map(abs, range(-3, 3))), sum(repeat(2, 10)))
for bad in [
    lambda: sum(repeat("a")),
    lambda: bytes(count()),
    lambda: list(map(lambda n: 1 // (10 - n), count())),
    lambda: set(repeat([])),
    lambda: dict(count()),
    lambda: max(chain([1], repeat("a"))),
    lambda: list(map(lambda n: [1, 2, 3][n], count())),
]:
    try:
        bad()
    except (TypeError, ValueError, ZeroDivisionError, IndexError) as error:
        print(type(error).__name__)
