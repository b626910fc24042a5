import os, itertools
a = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
n = list(itertools.chain(a, (7, 7, 5)))
m = list(a)
it = itertools.chain(a, (7, 7, 5))
x = next(it)
y = next(it)
import os, itertools
a = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
b = [1]
for x in itertools.chain(a, b):
    if len(b) < 3:
        b.append('zz')
import os, itertools
a = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
b = [1]
it = itertools.cycle(a)
x = next(it, 'none')
it = itertools.zip_longest(a, b)
x2 = next(it, 'none')
b.append('zz')
x3 = next(it, 'none')
it = itertools.islice(a, 2)
x4 = next(it, 'none')
a.append(2.5)
x5 = next(it, 'none')
it = enumerate(a)
x6 = next(it, 'none')
it = zip(a, b)
x7 = next(it, 'none')
b.append(2.5)
x8 = list(it)
import os, itertools
def gen(n):
    for i in range(n):
        yield i
    yield 'end'
k = len(os.environ.get('ANTIFREEZE_FLAG', '')) 
g = gen(k)
x = next(g)
it = itertools.chain(gen(k), gen(2), 'ab')
x1 = next(it)
x2 = list(it)
it = itertools.chain(range(k), {'a': 1}, {3}, map(str, range(k)))
x3 = next(it)
x4 = list(it)
h = itertools.chain.from_iterable([range(k), 'ab', {2.5: 1}])
x5 = next(h)
x6 = list(h)
