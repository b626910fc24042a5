import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
log = []
def g(v):
    log.append(v)
    return v
it = filter(lambda v: v != k, map(g, [0, 1, 2, 3]))
x = next(it)
n = len(log)
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c = 1
def g():
    for i in range(5):
        yield c
it = filter(lambda v: v != k, g())
x = next(it)
c = 'new'
y = next(it)
z = list(it)
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c = 1
it = filter(lambda v: v != k, (c for _ in range(4)))
x = next(it)
c = 'new'
y = next(it)
z = list(it)
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c = 0
def count(v):
    global c
    c += 1
    return v != k
it = filter(count, [0, 1, 2, 3, 4])
x = next(it)
c1 = c
y = next(it)
c2 = c
z = list(it)
c3 = c
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c = 0
def count(v):
    global c
    c += 1
    return v != k
it = itertools.takewhile(count, map(count, [0, 1, 2, 3, 4]))
x = next(it, 'none')
c1 = c
y = next(it, 'none')
c2 = c
z = list(it)
c3 = c
it = itertools.dropwhile(count, map(count, [0, 1, 2, 3, 4]))
x1 = next(it, 'none')
c1 = c
y1 = next(it, 'none')
c4 = c
it = itertools.chain(map(count, range(k)), map(count, range(3)))
x5 = next(it, 'none')
c5 = c
it = itertools.compress(map(count, range(5)), [k, 1, k, 1, 1])
x6 = next(it, 'none')
c6 = c
it = itertools.filterfalse(count, map(count, range(5)))
x7 = next(it, 'none')
c7 = c
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c = 0
def count(v):
    global c
    c += 1
    return v != k
for x in filter(count, [0, 1, 2, 3, 4]):
    pass
c1 = c
y = list(filter(count, range(50)))
c2 = c
z = [v for v in filter(count, (0, 0, 5)) if v]
c3 = c
w = sum(filter(count, range(1000)))
c4 = c
t = tuple(itertools.takewhile(count, range(1000)))
c5 = c
t = max(itertools.dropwhile(count, range(1000)), default=0)
c6 = c
a, b = filter(count, (0, 4, 3, 2, 0, 1)) if k else (1, 2)
c7 = c
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
seen = []
def note(v):
    if v > 3:
        seen.append(v)
    return v % 2 == k
x = next(filter(note, [0, 1, 2, 3, 4, 5, 6, 7]), None)
n = len(seen)
y = next(filter(note, [1, 3, 5, 7, 9, 9]), None)
n2 = len(seen)
class A:
    n = 0
    def __call__(self, v):
        self.n += 1
        return v == k
a = A()
z = next(filter(a, [3, 2, 1, 0]), 'none')
m = a.n
z = next(itertools.filterfalse(a, (5, 2, 1, 0)), 'none')
m2 = a.n
def outer():
    hits = 0
    def f(v):
        nonlocal hits
        hits += 1
        return v > k + 2
    r = next(filter(f, [0, 1, 2, 3, 4]), None)
    return hits, r
o = outer()
