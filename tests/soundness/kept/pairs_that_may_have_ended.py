import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
log = []
def f(x):
    log.append(x)
    return x
v2 = [1, 2, 3]
if k:
    del v2[:]
d = dict(zip(map(f, range(5)), filter(f, v2)))
n = len(log)
e = list(itertools.chain(v2, map(f, range(3))))
n1 = len(log)
g = list(zip(v2, map(f, range(9)), map(f, range(9))))
n2 = len(log)
h = max(map(lambda a, b: f(b), v2, range(9)), default=0)
n3 = len(log)
i = [x for x in zip(v2, map(f, range(9)))]
n4 = len(log)
for p, q in zip(map(f, range(9)), v2):
    pass
n5 = len(log)
j = sum(x for _, x in zip(v2, map(f, range(9))))
n6 = len(log)
