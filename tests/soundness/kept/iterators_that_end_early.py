import os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
a = [1] * k
b = iter([1, 2, 3])
z = zip(a, b)
l = list(z)
x = next(b)
z2 = zip(filter(lambda v: v > k, [0, 1, 2]), b)
y = list(z2)
w = list(b)
import os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c = 0
def tick():
    global c
    c += 1
    return c * (1 if k else 2)
it = iter(tick, 2)
x = next(it, 'none')
y = next(it, 'none')
c2 = c
z = next(it, 'none')
c3 = c
def gen(n):
    for i in range(n):
        yield i
a = zip(gen(k), map(lambda v: tick(), range(5)))
t = next(a, 'none')
c4 = c
b = map(lambda p, q: p, gen(k), map(lambda v: tick(), range(5)))
t2 = next(b, 'none')
c5 = c
import os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
log = []
it = filter(lambda v: v is None or k, map(log.append, [0, 1, 2, 3]))
x = next(it, 'none')
n = len(log)
