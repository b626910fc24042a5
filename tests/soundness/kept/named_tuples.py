from collections import namedtuple
from typing import NamedTuple
P = namedtuple("P", "x y")
p = P(1, 2)
a1 = p.x + p[1]
x, y = p
a2 = (x, y, len(p), list(p), sum(p))
a3 = p == (1, 2)
a4 = repr(p)
a5 = p < P(1, 3)
a6 = p + (3,)
a7 = (0,) + p
a8 = {p: "here"}[(1, 2)]
a9 = "%s-%s" % p
b1 = p._replace(y=9)
b1 = (b1.x, b1.y)
b2 = p._asdict()
b3 = P._make([5, 6]).y
b4 = P._fields
b5 = isinstance(p, tuple)
b6 = max([P(1, 5), P(2, 0)]).x
b7 = 2 in p
b8 = p.index(2)
b9 = p * 2
try:
    p.x = 3
except AttributeError:
    c1 = "fixed"
try:
    P(1)
except TypeError:
    c2 = "missing"
class Move(NamedTuple):
    row: int
    col: int
    cost: float = 1.5
    def total(self):
        return self.row + self.col
m = Move(1, 2)
d1 = m.total()
d2 = m.cost
d3 = m == Move(1, 2, 1.5)
d4 = repr(m)
d5 = sorted([Move(2, 1), Move(1, 9)])[0].col
d6 = Move(row=4, col=5)
d6 = d6.row * d6.col
match m:
    case Move(r, c, _):
        d7 = (r, c)
d8 = [n for n in m]
Q = namedtuple("Q", ["a", "b", "c"], defaults=[0])
e1 = Q(1, 2).c
e2 = Q(*[1, 2, 3])[2]
class Sub(P):
    def dot(self, o):
        return self.x * o.x + self.y * o.y
f1 = Sub(1, 2).dot(Sub(3, 4))
f2 = Sub(1, 2) == P(1, 2)
f3 = set([P(1, 2), P(1, 2), (1, 2)])
f3 = len(f3)
queue = [P(0, 0)]
seen = set()
while queue:
    at = queue.pop()
    if at in seen or at.x > 3 or at.y > 3:
        continue
    seen.add(at)
    queue.append(P(at.x + 1, at.y))
    queue.append(P(at.x, at.y + 1))
g1 = len(seen)
