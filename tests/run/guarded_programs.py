# ---
print(2 ** 10, 3 << 4, 6 * 7, -2 ** 2, (-2) ** 3, 2 ** -1, 0 ** 0, 1 << 0)
# ---
a, b = 3, 4
a **= b; print(a); a <<= b; print(a); a *= b; print(a)
x = "ab"; x *= 3; print(x)
l = [1]; m = l; l *= 3; print(m, l is m)
# ---
print("x" * 3, 3 * "y", [1, 2] * 2, (1,) * 3, b"z" * 2, [[]] * 2)
# ---
print(True * 3, True ** 2, type(True ** True), True << 2, False * 10 ** 9)
# ---
print(2.5 ** 2, 2.0 * 3, 1j ** 2, 1e300 * 1e300, (-8) ** (1 / 3))
# ---
class I(int):
    def __mul__(self, other): return "mul"
    def __rmul__(self, other): return "rmul"
    def __pow__(self, other, mod=None): return "pow"
    def __lshift__(self, other): return "lshift"
i = I(5)
n = 3
print(i * n, n * i, i ** n, i << n, type(n * 5))
# ---
class J(int): pass
j = J(5)
n = 4
print(j * n, type(j * n), j ** n, n ** j, n << j, j << n)
j *= n
print(j, type(j))
# ---
class V:
    def __init__(self, *v): self.v = v
    def __mul__(self, k): return V(*[c * k for c in self.v])
    __rmul__ = __mul__
    def __imul__(self, k): self.v = tuple(c * k for c in self.v); return self
    def __pow__(self, k, m=None): return ("pow", k, m)
    def __rpow__(self, k, m=None): return ("rpow", k)
    def __ipow__(self, k): return ("ipow", k)
    def __lshift__(self, k): return ("lshift", k)
    def __repr__(self): return f"V{self.v}"
v = V(1, 2)
n = 3
print(v * n, n * v, v ** n, n ** v, v << n, pow(v, n), pow(v, n, 5))
w = v; v *= n; print(v, w is v); v **= n; print(v)
# ---
def log(x, out=[]):
    out.append(x)
    print("log", x)
    return x
print(log(2) ** log(3) * log(4) << log(1))
d = {}
d[log("k")] = 2
d[log("k")] **= log(5)
d[log("k")] *= log(2)
d[log("k")] <<= log(2)
print(d)
# ---
class P:
    gets = sets = 0
    @property
    def f(self): P.gets += 1; return self._f
    @f.setter
    def f(self, x): P.sets += 1; self._f = x
p = P()
p.f = 3
p.f **= 2; p.f *= 4; p.f <<= 1
print(p.f, P.gets, P.sets, type(p._f))
# ---
def f():
    x = 3
    y = x ** x * x
    z = [x * i ** 2 for i in range(5)]
    w = {k: k << x for k in range(3)}
    return sorted(locals()), y, z, w, (lambda q: q ** x)(2)
print(f())
# ---
class C:
    a = 2
    b = a ** 3
    a *= b
    a **= 2
print(C.a, C.b, sorted(k for k in vars(C) if not k.startswith("__")))
# ---
x = 1
def f():
    global x
    x = 5
    return 3
x *= f()
print(x)
x = 2
print(x ** f(), x)
# ---
def gen():
    got = 2 ** (yield 1)
    got = got * (yield got)
    yield got << (yield 7)
g = gen()
print(next(g), g.send(3), g.send(4), g.send(1))
# ---
import asyncio
async def two(): await asyncio.sleep(0); return 2
async def main():
    r = 3 ** await two() * await two()
    print(await asyncio.gather(*[asyncio.sleep(0, i ** 2) for i in range(3)]), r)
asyncio.run(main())
# ---
a = 3
b = "x"
print(a ** b)
# ---
a = None
print((a or None) ** 2)
# ---
def f(n):
    return (n - 1) ** (n - 3) * undefined_name
print(f(2))
# ---
d = {}
d["k"] **= 2
# ---
d = [1]
d[0] **= "x"
# ---
x = 0
y = -1
x **= y
# ---
d = {"a": 0}
n = -1
d["a"] **= n
# ---
class O: pass
o = O()
o.v = 1
o.v <<= -1
# ---
n = -1
print(1 << n)
# ---
x = 1.5
x <<= 2
# ---
def outer():
    def inner(a, b):
        return (a +
                1) ** (b *
                       2)
    return inner
try:
    outer()("s", 1)
except TypeError as e:
    import traceback
    traceback.print_exc()
print(outer()(1, 2))
# ---
print(10.0 ** 400)
# ---
print(undefined ** 2)
# ---
def f():
    x *= 2
f()
# ---
from decimal import Decimal
from fractions import Fraction
n = 3
print(Decimal("1.5") * n, n * Decimal(2), Decimal(2) ** n, Fraction(1, 3) * n, Fraction(1, 3) ** n, n ** Fraction(1, 2))
d = {"a": Decimal("1.5"), "b": Fraction(1, 3), "c": 2.5, "d": "s", "e": [1], "f": True}
for k in d: d[k] *= n
print(d)
# ---
import operator, math, functools
print(pow(2, 5), pow(2, 5, 7), pow(base=2, exp=3), pow is __builtins__.pow)
print(operator.pow(2, 3), operator.mul("a", 3), operator.lshift(1, 4), operator.imul([1], 2))
print(math.factorial(20), math.comb(10, 3), math.perm(5, 2), math.perm(4), math.prod([1, 2, 3]), math.prod([2.5, 2]), math.prod([1], start=2))
print(int.__pow__(2, 3), (2).__mul__(3), int.__rmul__(2, 3), int.__pow__(2, 3, 5), (2).__pow__("x"))
print(functools.reduce(operator.mul, range(1, 10)))
# ---
import math
math.factorial(-1)
# ---
pow("a", 2)
# ---
pow(2)
# ---
import operator
operator.mul({}, 2)
# ---
pow = lambda a, b: print("mine", a, b)
pow(10, 10 ** 3)
# ---
class A:
    def pow(self, a, b=1, *c, **d): return (a, b, c, d)
a = A()
print(a.pow(1), a.pow(1, b=2), a.pow(*[1, 2, 3], **{"e": 4}))
# ---
def f(a, b, c):
    return a * b * c ** 2 ** 2 << b
print(f(1, 2, 3), f(*[4, 5, 6]))
# ---
x = 10
s = f"{x ** 2!r:>10}|{x * 2:{x * 2}}"
print(s)
# ---
é = 3; print("ü", é ** 2, "日本" * é, é << 1)
# ---
if (n := 5 ** 2) > 10: print(n * 2)
while n << 1 < 10 ** 3: n *= 2
print(n)
# ---
class M(type):
    def __mul__(cls, n): return [cls] * n
class K(metaclass=M): pass
n = 2
print(K * n, len(K * (n + 1)))
# ---
class Attr:
    def __getattr__(self, name): print("getattr", name); raise AttributeError(name)
    def __pow__(self, o): return 1
    def __lt__(self, o): print("lt"); return True
    def __eq__(self, o): print("eq"); return True
    def __bool__(self): print("bool"); return True
    def __index__(self): print("index"); return 2
x = Attr()
n = 2
print(x ** n)
print([1] * x)
try: n ** x
except TypeError as e: print(e)
# ---
import warnings
def f(n):
    warnings.warn("w", stacklevel=2)
    return n
print(2 ** f(3), f(2) * f(2))
# ---
import sys
def depth(): return sys._getframe(1).f_lineno, sys._getframe(1).f_code.co_name
def g(): return (2 ** len(depth()), depth())
print(g())
# ---
try:
    x = 2 ** 3 / 0 * 2
except ZeroDivisionError:
    import traceback; traceback.print_exc()
finally:
    print(2 * 3)
# ---
match 2 ** 3:
    case 8: print("eight" * 2)
# ---
print(__builtins__ is not None, [k for k in globals() if not k.startswith("__")], 2 ** 2)
# ---
x = 5
def f(a=2 ** 3, *, b=x * 2): return a, b
print(f(), f.__defaults__, f.__kwdefaults__)
@(lambda g: g)
def h(): "doc" * 2; return 1
print(h.__doc__, h())
# ---
"docstring"
print(__doc__)
2 ** 8
# ---
import random
random.seed(1)
m = (1 << 61) - 1
h = 0
for i in range(200): h = (h * 1_000_003 + i ** 3) % m; h ^= h << 3 & m
print(h)
# ---
big = 7 ** 20000
print((big * big).bit_length(), (big ** 3).bit_length(), (big << 1000).bit_length(), (-big * 3).bit_length(), (big * 0, big * 1 == big, 1 ** big))
big *= big
big <<= 5
print(big.bit_length())
# ---
class T:
    __slots__ = ("n",)
t = T()
t.n = 4
t.n **= 2
t.n *= 1.5
t.x *= 2
