import sys
a1 = "hello world".upper(); a2 = "a,b,c".split(","); a3 = "-".join(["x","y"]); a4 = "%05.2f|%s" % (3.14159, "hi"); a5 = "{:>5}|{0}".replace("0","") ; a6 = "{} {:03d} {x!r}".format(1, 7, x="q")
d = {"a": 1, "b": 2}; b1 = list(d.keys()); b2 = list(d.items()); b3 = d.get("z", 5); b4 = d.pop("a"); b5 = len(d.values()); b6 = [k for k, v in d.items()]
k = d.keys(); d["q"] = 9; b7 = list(k); b8 = list(k); b9 = "q" in k; b10 = d.keys() & {"q"}; b11 = sorted(d.items(), key=lambda kv: -kv[1]); b12 = d.setdefault("zz", []); b12.append(3); b13 = str(d)
L = [3,1,2]; L.sort(); L.append(7); L.extend(range(2)); L.insert(0, 9); c1 = L.pop(); c2 = L.index(7); L.remove(9); L.reverse(); c3 = L.copy(); c4 = L.count(1)
s = {1,2,3}; s.add(4); s.discard(1); s2 = s | {9}; s3 = s - {2}; c5 = s.issubset({2,3,4,5}); s4 = s & {3}
e1 = "abc".find("c"); e2 = "abc".startswith(("x","a")); e3 = "7".zfill(3); e4 = "x".center(5, "*"); e5 = "a b".title(); e6="héllo".encode(); e7 = "abc".encode()
n = int(sys.argv[1]) if len(sys.argv) > 1 else 5
f1 = str(n); f2 = max(n, 3); f3 = [n].pop(); f4 = sorted([n, 2]); f5 = "x".ljust(n)
def g():
    yield 1
    yield 2
h1 = list(g()); h2 = sum(g()); h3 = next(g()); h4 = any(x > 1 for x in g()); h5 = dict(zip("ab", g())); h6 = list(filter(None, [0, 1, 2])); h7 = list(map(lambda a, b: a + b, [1,2], [3,4]))
i1 = min("banana", key=lambda c: ord(c)); i2 = [*enumerate("ab")]; i3 = {**d}; i4 = getattr([], "zz", 3); i5 = hasattr("x", "upper"); i6 = callable(len); i7 = type(3) is int
class P:
    def __init__(self): self._v = 1
    @property
    def v(self): return self._v
    @v.setter
    def v(self, x): self._v = x
    def __repr__(self): return "P!"
p = P(); p.v = 5; j1 = p.v; j2 = str(p); j3 = repr([p]); j4 = f"{p}"; j5 = isinstance(p, P); setattr(p, "w", 2); j6 = p.w
del p, g, P, k, sys
