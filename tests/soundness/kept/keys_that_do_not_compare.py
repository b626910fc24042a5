import heapq
log = []
def f(x):
    log.append(x)
def g(x):
    log.append(x)
    return (x, str(x))
try:
    a = min(map(f, [1, 2, 3, 4]), key=f)
except TypeError as e:
    a = str(e)
n = len(log)
try:
    b = max([1, 2, 3], key=f)
except TypeError as e:
    b = str(e)
n1 = len(log)
c = max([1, 2, 3], key=g), min(map(g, [1, 2, 3]))
n2 = len(log)
try:
    d = heapq.nlargest(2, [1, 2, 3], key=f)
except TypeError as e:
    d = str(e)
n3 = len(log)
h = heapq.nlargest(2, (x for x in [1, 2, 3]), key=g)
n4 = len(log)
try:
    i = sorted([1, 2, 3], key=f)
except TypeError as e:
    i = str(e)
n5 = len(log)
