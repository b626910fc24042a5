from dataclasses import dataclass, field, replace, asdict, astuple, FrozenInstanceError
from typing import List, Optional, ClassVar, Dict
@dataclass
class Point:
    x: int
    y: int = 2
    tags: List[str] = field(default_factory=list)
    note: "Optional[str]" = None
    def norm(self):
        return self.x ** 2 + self.y ** 2
p = Point(1)
q = Point(1, y=2)
a1 = p == q
a2 = p.norm()
p.tags.append("t")
a3 = p == q
a4 = repr(p)
a5 = q.tags
p.x = 7
a6 = p.x
a7 = Point(3, 4, ["z"], "n")
a8 = str(a7)
try:
    Point()
except TypeError:
    b1 = "missing"
try:
    Point(1, 2, [], None, 5)
except TypeError:
    b2 = "too many"
try:
    Point(1, z=3)
except TypeError:
    b3 = "unexpected"
try:
    hash(p)
except TypeError:
    b4 = "unhashable"
@dataclass(frozen=True, order=True)
class Node:
    cost: int
    name: str = "n"
m = Node(3)
n = Node(2, "b")
c1 = sorted([m, n])
c2 = m > n
c3 = {m: 1, n: 2}
c4 = c3[Node(3, "n")]
c5 = Node(3, "n") in {m}
try:
    m.cost = 4
except FrozenInstanceError as e:
    c6 = type(e).__name__
c7 = replace(m, cost=9).cost
c8 = asdict(n)
c9 = astuple(n)
@dataclass
class Base:
    a: int
    b: int = 5
@dataclass
class Derived(Base):
    c: int = 6
    def __post_init__(self):
        self.total = self.a + self.b + self.c
d1 = Derived(1).total
d2 = repr(Derived(1, 2, 3))
d3 = Derived(1) == Base(1)
d4 = isinstance(Derived(1), Base)
@dataclass
class WithClassVar:
    count: ClassVar[int] = 0
    v: int = 1
e1 = WithClassVar(3).v
try:
    @dataclass
    class Bad:
        xs: list = []
except ValueError:
    e2 = "mutable default"
try:
    @dataclass
    class Bad2:
        a: int = 1
        b: int
except TypeError:
    e3 = "order of defaults"
match Node(5, "q"):
    case Node(cost, name):
        e4 = (cost, name)
@dataclass
class Hidden:
    a: int
    b: int = field(default=3, repr=False, compare=False)
    c: int = field(init=False, default=4)
f1 = repr(Hidden(1))
f2 = Hidden(1, 2) == Hidden(1, 9)
f3 = Hidden(1).c
@dataclass(eq=False)
class ById:
    a: int
g1 = ById(1) == ById(1)
g2 = len({ById(1), ById(1)})
@dataclass
class Linked:
    value: int
    next: "Optional[Linked]" = None
h = Linked(1, Linked(2, Linked(3)))
h1 = 0
while h is not None:
    h1 += h.value
    h = h.next
class Outer:
    @dataclass
    class Inner:
        a: int
i1 = repr(Outer.Inner(1))
def local():
    @dataclass
    class L:
        a: int
    return repr(L(2))
i2 = local()
