import itertools, os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
v = []
it = itertools.chain([], v)
a = next(it, None)
v.append(1)
b = list(it)
w = [0]
it = itertools.dropwhile(lambda x: x != k, w)
c = next(it, None)
w[:0] = [5]
d = list(it)
u = [3]
it = filter(lambda x: x != k, u)
e = next(it, None)
u.append(7)
f = list(it)
