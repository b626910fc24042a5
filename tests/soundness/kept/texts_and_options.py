import argparse
import json
from array import array
from decimal import Decimal, localcontext
from functools import reduce
from heapq import merge, nlargest, nsmallest
from itertools import chain, count, cycle, islice

c = json.loads('{"a": [1, 2.5, -3e2, true, null], "b": {"c": "\\u00e9\\n", "a": 7, "a": 8}, "n": 123456789012345678901234567890, "z": -0, "f": 1e400}')
a0 = c["a"]
a1 = list(c["b"].items())
a2 = c["n"]
a3 = c["z"]
a4 = c["f"]
a5 = json.loads(" [] ")
a6 = json.loads("0.1")
a7 = json.loads('"x"') * 3
try:
    json.loads("{'a': 1}")
except json.JSONDecodeError:
    a8 = "error"
a9 = json.loads("NaN") != json.loads("NaN")
p = argparse.ArgumentParser(prog="p")
p.add_argument("--rows", "-r", type=int, default="12")
p.add_argument("-q", action="store_false", dest="loud")
p.add_argument("--long-name", default=[1, 2])
p.add_argument("--rate", type=float, default=1)
p.add_argument("--count", action="count", default=0)
p.add_argument("--version", action="version", version="1")
p.add_argument("maybe", nargs="?", default=3)
n = p.parse_args([])
b0 = n.rows
b1 = n.loud
b2 = n.long_name
b3 = n.rate
b4 = (n.count, n.maybe)
n.rows = 5
b5 = n.rows + 1
b6 = hasattr(n, "version")
b7 = p.parse_args(["--rows", "4"]).rows
p.add_argument("--must", required=True)
try:
    p.parse_args([])
except SystemExit as e:
    b8 = "exits"
d = array("i", range(5)) * 3
e = d
d += array("i", [7])
c0 = len(d)
c1 = len(e)
c2 = list(e[-2:])
c3 = sum(array("d", [1, 2.5]))
c4 = 2 * array("b", [1])
try:
    array("B", [256])
except OverflowError:
    c5 = "overflow"
with localcontext() as ctx:
    ctx.prec = 5
    d0 = str(Decimal(2).sqrt())
d1 = str(Decimal(2).sqrt())
with localcontext(prec=3) as ctx:
    d2 = ctx.prec
e0 = list(merge([1, 4], (2, 3), range(3)))
e1 = list(islice(merge(count(0, 2), count(1, 2)), 4))
e2 = nlargest(2, range(3000))
e3 = nsmallest(0, range(3000))
e4 = nlargest(1, [3, 1, 2], key=lambda x: -x)
e5 = reduce(lambda a, b: (a * 31 + b) % 1009, range(20000))
e6 = reduce(lambda a, b: a + 0.5, range(20000), 0.0)
e7 = list(islice(islice(count(3), 2, None), 3))
e8 = list(islice(chain.from_iterable(zip(cycle("ab"), cycle([1, 2, 3]))), 7))


def texts():
    for i in count(1):
        yield f"<{i}>"


def pairs():
    n = 0
    while True:
        n += 2
        yield n, str(n)


f0 = list(islice(texts(), 3))
f1 = next(t for t in texts() if len(t) > 4)
f2 = list(islice(pairs(), 3))
f3 = next(filter(lambda n: n % 4999 == 4998, count()))
f4 = sum(n for n in range(30000) if n % 3)
f5 = list(filter(lambda n: n % 5000 == 1, range(20000)))
