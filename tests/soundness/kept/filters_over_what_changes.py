import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
xs = [1, 2, 0, 3]
it = filter(lambda v: v != k, xs)
x = next(it, None)
xs.append('zz')
y = list(it)
import os, itertools
a = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
b = [1]
it = itertools.chain(a, b)
x = next(it)
b.append('zz')
y = list(it)
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
xs = [1, 2, 0, 3]
z = []
for v in filter(lambda v: v != k, xs):
    z.append(v)
    if len(xs) < 7:
        xs.append('zz')
import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
xs = [1, 2, 0, 3]
it = itertools.takewhile(lambda v: v != k, xs)
x = next(it, None)
xs.append('zz')
y = list(it)
it2 = itertools.dropwhile(lambda v: v != k, xs)
x2 = next(it2, None)
xs.append(b'zz')
y2 = list(it2)
it3 = itertools.compress(xs, [k, 1, 1, k, k, k, 1, 1])
x3 = next(it3, None)
xs.append(2.5)
y3 = list(it3)
