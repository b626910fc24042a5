import statistics
from statistics import mean, median
from contextlib import contextmanager, suppress, nullcontext
a1 = mean([1, 2, 3])
a2 = mean([1, 2])
a3 = statistics.fmean([1, 2, 4])
a4 = median([3, 1, 2])
a5 = median([4, 1, 2, 3])
a6 = statistics.median_low([4, 1, 2, 3])
a7 = statistics.mode([1, 2, 2, 3])
a8 = statistics.multimode("aabbc")
a9 = statistics.pvariance([1, 2, 3, 4])
b1 = statistics.variance([1, 2, 3, 4])
b2 = statistics.stdev([2, 4, 4, 4, 5, 5, 7, 9])
b3 = statistics.pstdev([2, 4, 4, 4, 5, 5, 7, 9])
b4 = mean([1.5, 2.5, 4])
b5 = statistics.stdev([1.5, 2.5, 4])
b6 = statistics.variance([1, 2, 3])
b7 = mean([0.1] * 10)
b8 = median([0.1, 0.2])
b9 = statistics.mean(x * x for x in range(5))
c0 = statistics.pvariance([1, 5])
try:
    mean([])
except statistics.StatisticsError as e:
    c1 = type(e).__name__
try:
    statistics.stdev([1])
except ValueError:
    c2 = "one"
try:
    mean(["a"])
except TypeError:
    c3 = "text"
log = []
@contextmanager
def tag(name):
    log.append("in " + name)
    yield name * 2
    log.append("out " + name)
with tag("a") as t:
    d1 = t
    log.append("body")
d2 = list(log)
with suppress(KeyError, ValueError):
    {}["x"]
    d3 = "not reached"
d4 = "after"
with nullcontext(5) as five:
    d5 = five + 1
@contextmanager
def guarded():
    global d6
    try:
        yield
    except ValueError:
        d6 = "caught"
    finally:
        log.append("finally")
with guarded():
    raise ValueError
d7 = len(log)
try:
    with suppress(KeyError):
        raise IndexError
except IndexError:
    d8 = "passed on"
@contextmanager
def twice():
    yield 1
    yield 2
try:
    with twice():
        pass
except RuntimeError:
    d9 = "did not stop"
i = 0
while i < 3:
    with suppress(ZeroDivisionError):
        i += 1
        1 / (i - 2)
        d10 = i
