v1 = 3
n23 = [5, 6, 7]
for v28 in reversed(n23):
    for v30 in sorted({v28, v1}):
        n23.pop()
import os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
n = [5, 6, 7, 8]
r = reversed(n)
a = next(r)
if k:
    n.pop()
    n.pop()
b = next(r, None)
c = list(r)
m = [1, 2, 3]
q = reversed(m)
m.append(4)
d = list(q)
del m[k:]
e = list(reversed(m))
g = [x for x in reversed([9] * k + [8])]
