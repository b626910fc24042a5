import itertools, os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
def fails(v):
    raise KeyError(v)
xs = [1] * k
try:
    a = list(map(fails, xs))
except KeyError:
    a = 'raised'
try:
    b = next(itertools.dropwhile(lambda v: v != missing, xs), None)
except NameError:
    b = 'raised'
try:
    c = list(filter(fails, xs)), list(itertools.takewhile(fails, xs)), max(xs, key=fails, default=0)
except KeyError:
    c = 'raised'
try:
    d = list(zip(xs, map(fails, [1, 2])))
except KeyError:
    d = 'raised'
try:
    e = list(itertools.accumulate(xs + xs, lambda p, q: fails(q)))
except KeyError:
    e = 'raised'
it = itertools.dropwhile(lambda v: v == k, [1, 0, 2])
f = next(it, None)
try:
    g = next(itertools.dropwhile(lambda v: v / k > 5 if v else fails(v), [1, 0, 2] if k else [0, 3]), None)
except (KeyError, ZeroDivisionError):
    g = 'raised'
