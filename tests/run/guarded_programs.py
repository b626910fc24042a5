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
# ---
import sys
sys.setrecursionlimit(20000)
def factorial(n): return 1 if n < 2 else n % 97 + factorial(n - 1)
print(factorial(5000))
class A:
    def mul(self, n): return n if n < 2 else self.mul(n - 1) + 1
print(A().mul(200))
def comb(n, k): return 1 if k in (0, n) else comb(n - 1, k - 1) + comb(n - 1, k)
print(comb(12, 5))
# ---
from math import factorial as f, comb, perm, prod
import math as m, operator as op
from operator import mul as times, pow as power
import functools, itertools
g = m.factorial
ops = {"*": op.mul, "**": op.pow, "<<": op.lshift, "+": op.add}
def apply(fn, *args): return fn(*args)
def apply2(fn, a, b): return fn(a, b)
print(f(5), g(6), comb(5, 2), perm(4), prod(range(1, 6)), times(3, 4), power(2, 5))
print([ops[k](2, 5) for k in ops], apply(op.mul, 2, 3), apply2(op.pow, 2, 3), apply2(lambda a, b: a * b, 4, 5))
print(list(map(f, range(6))), list(map(op.mul, [1, 2, "a"], [3, 4, 2])), list(map(pow, [2, 3], [3, 4])), list(map(pow, [2], [3], [5])))
print(functools.reduce(op.mul, [1, 2, 3, 4]), functools.reduce(op.mul, [2.5, 2]), functools.reduce(op.mul, [], 7), functools.reduce(op.mul, ["a", 3]), functools.reduce(op.mul, [3, "a"]), functools.reduce(pow, [2, 3, 2]), functools.reduce(op.mul, [True, 5]))
print(list(itertools.accumulate([1, 2, 3, 4], op.mul)), list(itertools.accumulate([1, 2], op.mul, initial=5)), list(itertools.starmap(pow, [(2, 3), (3, 2)])))
print(functools.partial(pow, 2)(10), functools.partial(pow, 2).func is pow, m.prod([2, 3], start=4), m.lcm(4, 6) if hasattr(m, "lcm") else 12)
print(getattr(m, "factorial")(5), vars(m)["comb"](5, 2), op.methodcaller("__pow__", 3)(2), (lambda: f)()(3))
print(type(map(f, [1])), type(itertools.accumulate([1], op.mul)), f, g, op.mul, pow)
# ---
import operator, functools
try: functools.reduce(operator.mul, [])
except TypeError as e: print(e)
try: functools.reduce(operator.mul, 5)
except TypeError as e: print(e)
try: list(map(operator.mul, 5))
except TypeError as e: print(e)
try: list(map(operator.mul, [1], 5))
except TypeError as e: print(e)
try: map(operator.mul)
except TypeError as e: print(e)
functools.reduce(operator.mul, [1, {}, 2])
# ---
import operator, sys
class V:
    def __init__(self, v): self.v = v
    def __mul__(self, o): print(type(o).__name__, sys._getframe(1).f_code.co_name); return V(self.v)
    def __rmul__(self, o): print("r", type(o).__name__); return V(self.v)
    def __pow__(self, o): print("pow", type(o).__name__); return self
import functools
functools.reduce(operator.mul, [V(1), 2, 3])
functools.reduce(operator.mul, [2, V(1), 3])
list(map(operator.mul, [V(1)], [5]))
ops = [operator.mul, operator.pow]
for o in ops: o(V(1), 2)
for o in ops: o(V(1), b=2) if False else None
# ---
import operator
ops = {"m": operator.mul}
def run(k, a, b):
    return ops[k](a, b)
run("m", {}, 2)
# ---
from math import factorial as fact
def f(n):
    return fact(n)
f(-1)
# ---
from math import factorial
list(map(factorial, [3, -1]))
# ---
import math
print(math.factorial(True), math.comb(n := 5, 2), n)
math.factorial("x")
# ---
undefined_function(2 ** 3)
# ---
def apply(fn, a): return fn(a)
import math
print(apply(math.factorial, 5), apply(len, "abc"), apply(int, "7"), apply(print, "x"))
apply(math.sqrt, -1)
# ---
import pickle, inspect, math, operator, copy
def square(x):
    return x ** 2 * 3
print(inspect.getsource(square) if False else inspect.signature(square), inspect.signature(pow), pickle.loads(pickle.dumps(pow)) is pow, pickle.loads(pickle.dumps(math.factorial)) is math.factorial)
print(square.__code__.co_varnames, square.__code__.co_argcount, square.__name__, copy.copy(map(square, [1, 2])).__next__())
# ---
def f(n, a, b):
    s = 1
    t = 0.5
    for i in range(n):
        s = (s * 31 + i * a) % 1000003
        t = t * 1.5 - i * b
        for j, c in enumerate("ab"):
            s += j * i * len(c)
    return s, t, sorted(locals())
print(f(10, 3, 4), f(3, 2.5, True))
f(3, "a", 4)
# ---
x = 3
for i in range(4):
    x = x * i + 1
    x *= 2
    y = -x
    y *= x
print(x, y)
x = "a"
for i in range(2): x = x * 2
print(x)
# ---
def f():
    k = 2
    def g():
        nonlocal k
        k = "ab"
    g()
    return k * 3
print(f())
def h():
    z = 4
    exec("z = 'q'")
    return z * 2
print(h())
w = 2
globals()["w"] = "str"
print(w * 2)
def change():
    global v
    v = [1]
v = 2
change()
print(v * 2)
# ---
len = lambda x: "len"
n = len([1])
print(n * 2)
def range(n): return "ab"
for i in range(3): print(i * 2)
# ---
class Lt:
    def __lt__(self, o): print("compared"); return True
    def __gt__(self, o): print("compared"); return True
    def __mul__(self, o): return "product"
    def __rmul__(self, o): return "reflected"
    def __pow__(self, o): return "power"
    @property
    def __class__(self): print("class"); return int
def f(a, b): return a * b
o = Lt()
k = 3
print(f(o, 2), f(2, o), o * k, k * o, o ** k, (o,)[0] * k, [o][0] ** 2)
# ---
a = [1, 2, 3]
d = {"n": 4}
class O: v = 5
i = 1
k = 2
print(a[i] * k, d["n"] ** k, O.v << k, (i + k) * k, (i + k) * (k + i), a[i] * a[0] * k, -k ** 2, (a[0] or 1) * k)
a[i] *= k; d["n"] **= k; O.v <<= k
print(a, d, O.v)
(a[i] + k) * missing
# ---
def f(x):
    return x[0] * x
f([2, 3])
# ---
x = "ab"
print(x * 3, 3 * x, x * 0, x * -1, x * True, [x] * 2, (x, 1) * 2, b"q" * 3, bytearray(b"z") * 2, "é" * 3, "日本" * 2, "" * 10 ** 12)
try: x * 10 ** 20
except (OverflowError, MemoryError) as e: print(type(e).__name__)
try: [0] * 10 ** 19
except (OverflowError, MemoryError) as e: print(type(e).__name__)
x * 1.5
# ---
import time
time.sleep(0)
time.sleep(0.001)
from time import sleep as nap
nap(0.001)
try: time.sleep(-1)
except ValueError as e: print(e)
try: time.sleep(10 ** 10)
except OverflowError as e: print(type(e).__name__)
try: time.sleep("1")
except TypeError as e: print(type(e).__name__)
import asyncio
async def main(): await asyncio.sleep(0.001); return await asyncio.wait_for(asyncio.sleep(0, 5), 3)
print(asyncio.run(main()))
try: asyncio.run(asyncio.wait_for(asyncio.sleep(3600), 0.01))
except Exception as e: print(type(e).__name__)
# ---
import time, signal
class Done(Exception): pass
def handler(*a): raise Done
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try: time.sleep(3600)
except Done: print("interrupted")
# ---
import signal, time, threading
def poke():
    time.sleep(0.05)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
threading.Thread(target=poke, daemon=True).start()
try: time.sleep(3600)
except KeyboardInterrupt: print("interrupted")
# ---
from concurrent.futures import ThreadPoolExecutor
import math
with ThreadPoolExecutor(2) as pool:
    print(pool.submit(math.factorial, 6).result(), list(pool.map(math.factorial, [3, 4])), pool.submit(pow, 2, 10).result())
# ---
def compose(f, g): return lambda x: f(g(x))
import math
print(compose(math.factorial, lambda x: x + 1)(4))
def memo(fn):
    cache = {}
    def inner(n):
        if n not in cache: cache[n] = fn(n)
        return cache[n]
    return inner
@memo
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80))
# ---
import enum
class E(enum.IntEnum): A = 3
class F(enum.IntFlag): B = 2
print(E.A * 2, type(E.A * 2), E.A ** 2, F.B << 1, F.B * 2, 2 ** E.A)
e = E.A; k = 2
print(e * k, e ** k, e << k)
# ---
import traceback
def f(a, b):
    try:
        return a ** b * c
    except NameError:
        traceback.print_exc()
    try:
        return (a * b) ** nothing
    except NameError:
        traceback.print_exc()
    try:
        return missing(a * b, a ** 2)
    except NameError:
        traceback.print_exc()
f(2, 3)
# ---
def g(x: 2 * 3 = 4 ** 2, *a: 1 << 2) -> 5 * 5: return x * 2
print(g(), g.__annotations__)
x = 2
f = lambda y=x * 3, *, z=x ** 2: y * z
print(f(), [x * y for y in range(3) if x * y < 4], {x * y: x ** y for y in range(2)}, {y * 2 for y in (1, 2)}, list(y * x for y in range(x * 2)))
class C:
    k = 4
    l = k * 2
    m = [i * 2 for i in range(k)]
    def f(self): return self.k * 3
print(C.l, C.m, C().f())
try: C.k * missing
except NameError as e: print(e)
finally: print(x * 2)
with open("/dev/null") as h: print(h.fileno() * 0)
# ---
# What parameters are is asked once; a function that is given anything else does what it always did.
class Odd:
    def __mul__(self, other):
        print("mul", type(other))
        return 1
    def __rpow__(self, other):
        print("rpow", type(other))
        return 2
    @property
    def __class__(self):
        print("asked")
        return int

def many(n, a, b, *, c=3):
    """What it says."""
    out = []
    for i in range(n):
        try:
            out.append((a * b, a * a, b * c, i))
        except Exception as error:
            out.append(repr(error))
    return out

def powers(n, a, b):
    out = []
    while n > 0:
        n -= 1
        try:
            out.append((a ** b, a << b, b ** a))
        except Exception as error:
            out.append(repr(error))
    return out

for a in (2, -3, True, 2.5, "ab", [1], (), None, 1 << 12, Odd(), float("nan"), 3 + 4j, b"x"):
    for b in (3, 0, -1, True, 0.5, 1 << 40, Odd()):
        if not (type(b) is int and b > 100):
            print([str(item)[:80] for item in many(2, a, b)])
            print([str(item)[:80] for item in powers(1, a, b)])
print(many.__doc__, many.__kwdefaults__)
# ---
# A tracer sees the lines there are, in the order they are run.
import sys
seen = []
def tracer(frame, event, arg):
    if frame.f_code.co_name == "area":
        seen.append((event, frame.f_lineno - frame.f_code.co_firstlineno))
    return tracer
def area(a, b):
    """A docstring."""
    total = 0
    for i in range(2):
        total += a * b
    return total
sys.settrace(tracer)
area(3, 4)
sys.settrace(None)
print(seen)
# ---
# Whoever looks at a function's variables sees those it has.
def area(a, b):
    for i in range(2):
        total = a * b
    return sorted(locals())
print(area(3, 4))
def other(a, b):
    for i in range(2):
        total = a * b
    return total
print(other.__code__.co_varnames)
# ---
class Private:
    def area(self, __a, n):
        for i in range(n):
            total = __a * n
        return total
    async def later(self, a, n):
        for i in range(n):
            total = a ** n
        return total
    def each(self, a, n):
        for i in range(n):
            yield a << i
    def deleted(self, a, n):
        for i in range(n):
            total = a * n
            del a
        return total
    def nested(self, a, n):
        def change():
            nonlocal a
            a = 1.5
        for i in range(n):
            print(a * n)
            change()
import asyncio
p = Private()
print(p.area(3, 4), asyncio.run(p.later(2, 3)), list(p.each(3, 4)))
p.nested(2, 3)
try:
    p.deleted(1, 2)
except UnboundLocalError as error:
    print(error)
