//! What the generator builds programs from.
//!
//! `$i $f $s $l $d $e $t $o` are expressions (int, float, str, list, dict, set, tuple, object), the same letters in upper case
//! variables to change, `$b` a condition, `$n` a small number, `$p` a small positive one, `$c` a comparison, `$x` an int from
//! outside the program, `$0` to `$9` fresh names. A line `@` stands for random statements; `!i name` declares a variable and
//! `!fn name iss` a function by its result and parameters.

/// The class that objects are made of; always called `Thing`.
pub const PRELUDE: &[&str] = &[
    "class Thing:
    count = 0
    def __init__(self, x):
        self.x = x
        self.items = []
        Thing.count += 1
    def bump(self, n=1):
        self.x += n
        self.items.append(self.x)
        return self
    def total(self):
        return self.x + len(self.items)",
    "class Base:
    kind = 'base'
    limit = $n
    def __init__(self, x):
        self.x = x
        self.items = [x]
    def bump(self, n=1):
        self.x = self.x + n
        return self
    def total(self):
        return self.x
class Thing(Base):
    kind = 'thing'
    def __init__(self, x):
        super().__init__(x * 2)
        self.y = x
    def bump(self, n=2):
        super().bump(n)
        self.items.append(n)
        return self
    def total(self):
        return super().total() + self.y + self.limit",
    "class Thing:
    made = []
    def __init__(self, x):
        self._x = x
        self.items = [x, x]
        Thing.made.append(x)
    @property
    def x(self):
        return self._x
    @x.setter
    def x(self, value):
        self._x = value % 100
        self.items.append(value)
    @classmethod
    def of(cls, n):
        return cls(n + 1)
    @staticmethod
    def twice(n):
        return n * 2
    def bump(self, n=1):
        self.x = self.x + self.twice(n)
        return self
    def total(self):
        return self._x + len(self.made)",
    "class Thing:
    def __init__(self, x):
        self.x = x
        self.items = []
    def __add__(self, other):
        return Thing(self.x + (other.x if isinstance(other, Thing) else other))
    def __radd__(self, other):
        return Thing(self.x + 10)
    def __iadd__(self, other):
        self.items.append(other)
        return self
    def __eq__(self, other):
        return isinstance(other, Thing) and self.x == other.x
    def __hash__(self):
        return hash(self.x)
    def __lt__(self, other):
        return self.x < other.x
    def __len__(self):
        return len(self.items)
    def __bool__(self):
        return self.x % 2 == 1
    def __getitem__(self, i):
        return self.items[i]
    def __setitem__(self, i, v):
        self.x = i
        self.items.append(v)
    def __contains__(self, v):
        return v == self.x
    def __iter__(self):
        yield self.x
        yield from self.items
    def __call__(self, n):
        self.x += n
        return self.x
    def __enter__(self):
        self.x += 1
        return self
    def __exit__(self, kind, value, trace):
        self.items.append(kind is None)
        return kind is not None and issubclass(kind, LookupError)
    def __getattr__(self, name):
        if name.startswith('z'):
            return len(name)
        raise AttributeError(name)
    def bump(self, n=1):
        self += n
        return self
    def total(self):
        return self.x + sum(self.items)",
    "class Mixin:
    log = []
    def bump(self, n=1):
        self.log.append(n)
        return super().bump(n)
class Root:
    def bump(self, n=1):
        self.x += n
        return self
class Other(Root):
    def bump(self, n=1):
        self.x *= 2
        return super().bump(n)
class Thing(Mixin, Other):
    __slots__ = ('x', 'items')
    def __init__(self, x=0):
        self.x, self.items = x, [x]
    def total(self):
        return self.x + len(self.log)
    def __repr__(self):
        return 'Thing(%d)' % self.x
    def __str__(self):
        return f'<{self.x}>'",
];

/// Whole functions, with what the random ones rarely hit on.
pub const FUNCTIONS: &[&str] = &[
    "def $0(n):
    if n <= 0:
        return $i
    return n + $0(n - 1 if n < 30 else 5)
!fn $0 ii",
    "def $0(a, b=$n, *rest, key=$n, **named):
    total = a + b + key + len(rest) + sum(named.values())
    for r in rest:
        total += r
    return total
$1 = $0($i, $i, $i, $i, key=$i, extra=$i)
$2 = $0(*$t, **{'key': $i})
!fn $0 iii",
    "def $0(item, into=[]):
    into.append(item)
    return into
$1 = $0($i)
$2 = $0($i)
!fn $0 li",
    "def $0():
    n = $n
    def $1(by=1):
        nonlocal n
        n += by
        return n
    def $2():
        return n
    return $1, $2
$3, $4 = $0()
$5 = $3() + $3($i)
$6 = $4()
!fn $3 i
!fn $4 i",
    "$1 = $n
def $0(by):
    global $1
    $1 += by
    if $1 > 1000:
        $1 = 0
    return $1
!fn $0 ii",
    "def $0(n):
    k = 0
    while k < n and k < 6:
        got = yield k * $p
        if got is not None:
            k += got
        k += 1
    return k
def $1(n):
    got = yield from $0(n)
    yield got
    yield from [$i, $i]
def $2(n):
    return list($1(n))
$3 = $0($n)
$4 = next($3, -1)
$5 = next($3, -1)
$6 = sum($3)
$7 = list($1($x))
!fn $2 li",
    "def $0(n):
    try:
        if $b:
            return n
        return [1, 2, 3][n]
    except IndexError:
        return -1
    finally:
        n = $i
!fn $0 ii",
    "def $0(n):
    for k in range(4):
        try:
            if k == n:
                break
            if $b:
                continue
            1 // (k - 2)
        except ZeroDivisionError:
            return k * 100
        finally:
            n += 1
    else:
        return -n
    return n
!fn $0 ii",
    "def $0(n):
    log = []
    for k in range(3):
        try:
            try:
                if k < n:
                    raise ValueError(k)
                log.append(k)
            except ValueError as error:
                log.append(error.args[0] + 10)
                if $b:
                    raise
            else:
                log.append(50)
            finally:
                log.append(99)
        except ValueError:
            log.append(7)
    return log
!fn $0 li",
    "class $1(Exception):
    def __init__(self, code, *more):
        super().__init__(code, *more)
        self.code = code
class $2($1):
    pass
def $0(n):
    try:
        if n > 2:
            raise $2(n, 'x')
        if n > 1:
            raise $1(n)
        if $b:
            raise KeyError(n)
    except $2 as error:
        return error.code
    except $1 as error:
        return error.code + len(error.args)
    except KeyError as error:
        return error.args[0] - 1
    return 0
!fn $0 ii",
    "import contextlib
@contextlib.contextmanager
def $1(log):
    log.append('in')
    try:
        yield len(log)
    finally:
        log.append('out')
def $0(n):
    log = []
    with $1(log) as k:
        log.append(k)
        if n > 3:
            return log
    return log
!fn $0 li",
    "class $1:
    def __init__(self, swallow):
        self.swallow, self.seen = swallow, []
    def __enter__(self):
        self.seen.append('enter')
        return self.seen
    def __exit__(self, kind, value, trace):
        self.seen.append(kind.__name__ if kind else 'none')
        return self.swallow
def $0(n):
    manager = $1($b)
    try:
        with manager as seen:
            seen.append(10 // n)
    except ZeroDivisionError:
        manager.seen.append('up')
    return manager.seen
!fn $0 li",
    "import functools
def $1(function):
    @functools.wraps(function)
    def inner(*args):
        $1.calls += 1
        return function(*args)
    return inner
$1.calls = 0
@$1
def $0(a, b):
    return a * 2 + b
!fn $0 iii",
    "def $1(k):
    def around(function):
        def inner(n):
            return function(n) + k
        return inner
    return around
@$1($i)
def $0(n):
    return n - 1
!fn $0 ii",
    "def $0(n):
    match n:
        case 0 | 1:
            return 'few'
        case int() if n < 0:
            return 'negative'
        case 2:
            return $s
        case _:
            return 'many'
!fn $0 si",
    "def $0(value):
    match value:
        case []:
            return 0
        case [one]:
            return one
        case [first, *middle, last]:
            return first + last + len(middle)
        case {'a': a, **others}:
            return a + len(others)
        case str() as text:
            return len(text)
        case _:
            return -1
!fn $0 il
!fn $0 id
!fn $0 is",
    "import asyncio
async def $1(n):
    await asyncio.sleep(0)
    return n + $i
async def $2(n):
    total = 0
    for k in range(3):
        total += await $1(k)
    return total + n
def $0(n):
    return asyncio.run($2(n))
!fn $0 ii",
    "def $0(n):
    functions = [lambda: k for k in range(3)]
    bound = [lambda k=k: k + n for k in range(3)]
    return [f() for f in functions] + [f() for f in bound]
!fn $0 li",
    "def $0(data):
    counts = {}
    for letter in data:
        counts[letter] = counts.get(letter, 0) + 1
    return counts
!fn $0 ds",
    "def $0(n, memo={}):
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    memo[n] = $0(min(n, 25) - 1) + $0(min(n, 25) - 2)
    return memo[n]
!fn $0 ii",
    "def $0(a, b):
    a, b = abs(a), abs(b)
    steps = 0
    while b and steps < 200:
        a, b = b, a % b
        steps += 1
    return a
!fn $0 iii",
    "def $0(items):
    out = list(items)
    for i in range(len(out)):
        for j in range(len(out) - 1 - i):
            if out[j] > out[j + 1]:
                out[j], out[j + 1] = out[j + 1], out[j]
    return out
!fn $0 ll",
    "def $0(items, key):
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] < key:
            low = middle + 1
        elif items[middle] > key:
            high = middle - 1
        else:
            return middle
    return -1
!fn $0 ili",
    "def $0(n):
    for k in range(3):
        for m in range(3):
            if k * m == n:
                break
        else:
            continue
        return (k, m)
    return (-1, -1)
!fn $0 ti",
    "class $1:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        self.n -= 1
        if self.n < 0 or $x % 3 == self.n:
            raise StopIteration
        return self.n
def $0(n):
    return sum($1(n % 6), len(list($1(4))))
!fn $0 ii",
    "class $1:
    def __init__(self, n):
        self.n, self.k = n, 0
    def __iter__(self):
        return self
    def __next__(self):
        self.k += 1
        if self.k > self.n or self.k > 6:
            raise StopIteration
        return self.k * 2
def $0(n):
    return [k for k in $1(n)]
$2 = $1($n)
$3 = list($2)
$4 = sum($2)
!fn $0 li",
    "class $1:
    def __init__(self, value, next=None):
        self.value, self.next = value, next
def $0(items):
    head = None
    for item in items[:6]:
        head = $1(item, head)
    total = 0
    node = head
    while node is not None:
        total = total * 3 + node.value
        node = node.next
    return total
!fn $0 il",
    "def $0(n):
    try:
        return n
    finally:
        if $b:
            return -1
!fn $0 ii",
    "def $0(n):
    while True:
        try:
            n += 1
            if n > 5:
                raise KeyError
        except KeyError:
            break
        finally:
            n += 2
            if $b:
                break
    return n
!fn $0 ii",
    "def $0(n):
    out = []
    def walk(k):
        if k > 3:
            return
        out.append(k)
        walk(k + 1)
        if $b:
            out.append(-k)
    walk(n)
    return out
!fn $0 li",
    "import collections
def $0(items):
    queue = collections.deque(items[:5])
    seen = []
    while queue and len(seen) < 9:
        k = queue.popleft()
        seen.append(k)
        if k > 4:
            queue.append(k - 3)
    return seen
!fn $0 ll",
    "from dataclasses import dataclass
@dataclass
class $1:
    x: int
    y: int = $n
def $0(n):
    point = $1(n)
    point.y += n
    return point.x + point.y
$2 = $1($i, $i) == $1($i, $i)
!fn $0 ii",
];

/// Expressions by the letter of their type.
pub const EXPRESSIONS: &[(char, &str)] = &[
    ('i', "($i + $i)"),
    ('i', "($i - $i)"),
    ('i', "($i * $p)"),
    ('i', "($i * $i % 1009)"),
    ('i', "($i // $p)"),
    ('i', "($i // -$p)"),
    ('i', "($i % $p)"),
    ('i', "((-$i // $p))"),
    ('i', "($i % -$p)"),
    ('i', "($i // ($i or 1))"),
    ('i', "(($i % 97) ** $n)"),
    ('i', "(($i % 50) << $n)"),
    ('i', "($i >> $n)"),
    ('i', "($i & $i)"),
    ('i', "($i | $i)"),
    ('i', "($i ^ $i)"),
    ('i', "(-$i)"),
    ('i', "(~$i)"),
    ('i', "abs($i)"),
    ('i', "len($l)"),
    ('i', "len($s)"),
    ('i', "len($d)"),
    ('i', "len($e)"),
    ('i', "int($f)"),
    ('i', "min($i, $i)"),
    ('i', "max($i, $i, $i)"),
    ('i', "sum($l)"),
    ('i', "sum($l, $i)"),
    ('i', "sum([$i, $i], $i)"),
    ('i', "max($l, default=$i)"),
    ('i', "$l[$n]"),
    ('i', "$l[-1]"),
    ('i', "$t[0]"),
    ('i', "$t[-1]"),
    ('i', "$d.get($s, $i)"),
    ('i', "$d[$s]"),
    ('i', "$s.find($s)"),
    ('i', "$s.count($s)"),
    ('i', "$l.count($i)"),
    ('i', "$l.index($i)"),
    ('i', "ord($s[0])"),
    ('i', "divmod($i, $p)[0]"),
    ('i', "divmod($i, -$p)[1]"),
    ('i', "pow($i, $n, $p)"),
    ('i', "(lambda $0: $0 + $i)($i)"),
    ('i', "round($f)"),
    ('i', "int($s)"),
    ('i', "int(str($i))"),
    ('i', "(($0 := $i) + $0)"),
    ('i', "sum($0 * $0 for $0 in $l)"),
    ('i', "sum(1 for $0 in $s if $0 in $s)"),
    ('i', "len([$0 for $0 in $l if $0 $c $i])"),
    ('i', "next(($0 for $0 in $l if $0 $c $i), $i)"),
    ('i', "$o.x"),
    ('i', "$o.total()"),
    ('i', "$o.bump($n).total()"),
    ('i', "len($o.items)"),
    ('i', "(($b) + $i)"),
    ('i', "($i or $i)"),
    ('i', "($i and $i)"),
    ('i', "hash($i)"),
    ('i', "(bool($l) + 0)"),
    ('i', "($i).bit_length()"),
    ('i', "(any($0 $c $i for $0 in $l) + 1)"),
    ('i', "(all($l) * 3)"),
    ('i', "[$i, $i, $i][$i % 3]"),
    ('i', "{0: $i, 1: $i}[$i % 2]"),
    ('i', "sorted($l)[0]"),
    ('i', "$x"),
    ('f', "($f + $f)"),
    ('f', "($f - $f)"),
    ('f', "($f * $f)"),
    ('f', "($i / $p)"),
    ('f', "($f / $f)"),
    ('f', "($f // $p)"),
    ('f', "($f % $p)"),
    ('f', "(-$f)"),
    ('f', "float($i)"),
    ('f', "abs($f)"),
    ('f', "min($f, $f)"),
    ('f', "round($f, 1)"),
    ('f', "($f ** 2)"),
    ('f', "sum([$f, $f, $f])"),
    ('f', "float($s)"),
    ('f', "max($f, $i)"),
    ('f', "($i * 0.5)"),
    ('s', "($s + $s)"),
    ('s', "($s * $n)"),
    ('s', "$s.upper()"),
    ('s', "$s.strip()"),
    ('s', "$s.replace($s, $s)"),
    ('s', "$s[$n:]"),
    ('s', "$s[::-1]"),
    ('s', "$s[-$p:$n]"),
    ('s', "str($i)"),
    ('s', "str($l)"),
    ('s', "repr($s)"),
    ('s', "f\"{$i}\""),
    ('s', "f\"{$s}-{$i:>4}\""),
    ('s', "f\"{$f:.2f}{$i!r}\""),
    ('s', "('%d/%s' % ($i, $s))"),
    ('s', "'{}{}'.format($i, $s)"),
    ('s', "','.join($s)"),
    ('s', "'-'.join(str($0) for $0 in $l)"),
    ('s', "$s.split(',')[0]"),
    ('s', "$s.title()"),
    ('s', "chr(97 + $i % 26)"),
    ('s', "$s.zfill($n)"),
    ('s', "$s.center(8, '*')"),
    ('s', "$s[$n]"),
    ('s', "type($i).__name__"),
    ('s', "hex($i)"),
    ('s', "str($o)[:0]"),
    ('s', "max($s, $s)"),
    ('s', "$s.partition(',')[2]"),
    ('s', "''.join(sorted($s))"),
    ('l', "($l + $l)"),
    ('l', "($l * $n)"),
    ('l', "$l[$n:]"),
    ('l', "$l[::-1]"),
    ('l', "$l[:$n]"),
    ('l', "$l[$n:$n:2]"),
    ('l', "list($l)"),
    ('l', "list(range($n))"),
    ('l', "sorted($l)"),
    ('l', "sorted($l, reverse=True)"),
    ('l', "sorted($l, key=lambda $0: -$0)"),
    ('l', "[$0 + $i for $0 in $l]"),
    ('l', "[$0 for $0 in $l if $0 $c $i]"),
    ('l', "[$0 * $1 for $0 in range($n) for $1 in range(2)]"),
    ('l', "[$0 for $0 in range($n) if $b]"),
    ('l', "list(map(abs, $l))"),
    ('l', "list(map(lambda $0: $0 * 2, $l))"),
    ('l', "list(filter(None, $l))"),
    ('l', "list(filter(lambda $0: $0 $c $i, $l))"),
    ('l', "[$0 for $0, $1 in zip($l, $s)]"),
    ('l', "[$0 for $0, $1 in enumerate($s)]"),
    ('l', "[*$l, $i, *$t]"),
    ('l', "list($t)"),
    ('l', "list($d.values())"),
    ('l', "sorted($e)"),
    ('l', "$o.items"),
    ('l', "[ord($0) for $0 in $s]"),
    ('l', "$l.copy()"),
    ('l', "list(reversed($l))"),
    ('l', "[$0 for $0 in $e]"),
    ('l', "([$i] * $n)"),
    ('d', "{$0: $0 * 2 for $0 in $l}"),
    ('d', "{$0: $1 for $1, $0 in enumerate($s)}"),
    ('d', "dict(zip($s, $l))"),
    ('d', "{**$d, $s: $i}"),
    ('d', "dict($d)"),
    ('d', "dict(a=$i, b=$i)"),
    ('d', "$d.copy()"),
    ('d', "dict.fromkeys($s, $i)"),
    ('d', "($d | $d)"),
    ('e', "set($l)"),
    ('e', "($e | $e)"),
    ('e', "($e & $e)"),
    ('e', "($e - $e)"),
    ('e', "{$0 % 3 for $0 in $l}"),
    ('e', "set($d.values())"),
    ('e', "$e.copy()"),
    ('t', "($i, $i)"),
    ('t', "tuple($l[:3])"),
    ('t', "divmod($i, $p)"),
    ('t', "($t + $t)[:3]"),
    ('t', "tuple(sorted($t))"),
    ('t', "($i, *$t)[:3]"),
    ('t', "$t[::-1]"),
    ('o', "Thing($i)"),
    ('o', "$o.bump()"),
];

/// Statements that change something, or bind in an unusual way.
pub const STATEMENTS: &[&str] = &[
    "$L.append($i)",
    "$L.append($i)",
    "$L.extend($l)",
    "$L.insert($n, $i)",
    "$L.pop()",
    "$0 = $L.pop()\n!i $0",
    "$0 = $L.pop(0)",
    "$L.sort()",
    "$L.sort(key=lambda $0: -$0)",
    "$L.reverse()",
    "$L.remove($i)",
    "del $L[$n]",
    "del $L[$n:]",
    "$L[$n:$n] = $l",
    "$L[$n] = $i",
    "$L[-1] = $i",
    "$L[$n] += $i",
    "$L[$n:] = [$i, $i]",
    "$L += [$i]",
    "$L += $l",
    "$L *= 2\n$L = $L[:8]",
    "$L.clear()",
    "$D[$s] = $i",
    "$D[$i] = $i",
    "$D[$s] = $D.get($s, 0) + 1",
    "$D[$s] += $i",
    "del $D[$s]",
    "$D.pop($s, None)",
    "$0 = $D.pop($s)\n!i $0",
    "$D.update($d)",
    "$D.setdefault($s, $i)",
    "$0 = $D.setdefault($s, [])",
    "$D.popitem()",
    "$D |= $d",
    "$E.add($i)",
    "$E.discard($i)",
    "$E.remove($i)",
    "$E |= $e",
    "$E.update($l)",
    "$O.x = $i",
    "$O.x += $i",
    "$O.items.append($i)",
    "$O.bump($i)",
    "$O.extra = $l",
    "setattr($O, 'x', $i)",
    "$0 = getattr($O, 'x', $i)",
    "$0 = hasattr($O, 'extra')",
    "$O.items = $L",
    "$I += $i",
    "$I -= $i",
    "$I *= $p",
    "$I //= $p",
    "$I %= $p",
    "$I **= 2\n$I = $I % 1000",
    "$I ^= $i",
    "$S += $s",
    "$F *= $f",
    "$F -= $i",
    "$F /= $f",
    "$0, $1 = $i, $s\n!i $0\n!s $1",
    "$0, *$1 = $l\n!i $0\n!l $1",
    "*$0, $1 = $l\n!l $0\n!i $1",
    "$0, $1 = $t\n!i $0",
    "($0, $1), $2 = ($i, $i), $s\n!i $0\n!i $1",
    "$0 = $1 = $l\n!l $0\n!l $1",
    "$0 = [$L, $L]\n$0[0].append($i)",
    "$0 = {'k': $L}\n$0['k'].append($i)\n$0['n'] = $i",
    "$0 = [[0] * 2 for _ in range(2)]\n$0[1][0] = $i",
    "$0 = [[0] * 2] * 2\n$0[1][0] = $i",
    "$0 = ($L, $i)\n$0[0].append($i)",
    "if ($0 := $i) $c $n:\n    $1 = $0\nelse:\n    $1 = -$0\n!i $0\n!i $1",
    "print($i, $s)",
    "$0 = $b\n!i $0",
    "$0 = $s.split(',')",
    "$0 = $b or $l\n$1 = $b and $s",
    "$0 = $i $c $i $c $i",
    "$0 = lambda a, b=$i: a * b\n$1 = $0($i)\n!i $1",
    "$0 = iter($l)\n$1 = next($0, $i)\n$2 = list($0)\n!i $1\n!l $2",
    "$0 = ($1 * 2 for $1 in $l)\n$2 = next($0, 0)\n$3 = sum($0)\n!i $2\n!i $3",
    "$0 = zip($l, $s)\n$1 = list($0)\n$2 = list($0)",
    "$0 = {$1: len($1) for $1 in $s.split(',')}",
    "$0 = [$1 for $1 in $d]\n$2 = list($d.items())",
    "$0 = $l\n$1 = $0\n$1 += [$i]\n$2 = $0 is $1\n!l $0\n!l $1",
    "$0 = $l\n$1 = $0\n$1 = $1 + [$i]\n$2 = $0 is $1\n!l $0\n!l $1",
    "for $0 in $l[:3]:\n    @loop\n$1 = $i\n!i $1",
    "for $0, $1 in [($i, $i), ($i, $i)]:\n    @loop\n!i $0",
    "$0 = 0\nfor $1 in range($n):\n    if $b:\n        $0 += $1\n    else:\n        $0 -= 1\n!i $0",
    "$0 = []\nfor $1 in range($n):\n    if $b:\n        $0.append($1)\n!l $0",
    "$0 = {}\nfor $1 in range($n):\n    $0[$i % 3] = $1\n!d $0",
    "if $b:\n    $0 = $l\nelse:\n    $0 = $l\n$0.append($i)\n!l $0",
    "if $b:\n    $0 = $L\nelse:\n    $0 = $L\n$0.append($i)\n!l $0",
    "if $b:\n    $0 = $i\nelse:\n    $0 = $s\n$1 = str($0)",
    "if $b:\n    $0 = None\nelse:\n    $0 = $i\n$1 = $0 is None",
    "if $b:\n    del $L[:]\n$0 = len($L)\n!i $0",
    "$0 = $x\nif $0 > 1:\n    $1 = [$0] * $0\nelif $0 == 1:\n    $1 = []\nelse:\n    $1 = [7]\n!i $0\n!l $1",
    "$0 = $x\n$1 = 0\nwhile $0 > 0 and $1 < 50:\n    $0 -= 1\n    $1 += 1\n!i $0\n!i $1",
    "$0 = $x\n$1 = []\nfor $2 in range(min($0, 6)):\n    $1.append($2 * 2)\n!i $0\n!l $1",
    "$0 = 1\nfor $1 in range(min($x, 60)):\n    $0 = $0 * 2 + 1\n!i $0",
    "$0 = ''\nfor $1 in range(min($x, 20)):\n    $0 += 'ab'\n!s $0",
    "$0 = 100\n$1 = 0\nwhile $0 > $n:\n    $0 = $0 // 2 if $0 % 2 == 0 else $0 - 1\n    $1 += 1\n!i $0\n!i $1",
    "$0 = $i % 20 + 1\n$1 = 0\nwhile $0 != 1 and $1 < 200:\n    $0 = $0 // 2 if $0 % 2 == 0 else 3 * $0 + 1\n    $1 += 1\n!i $0\n!i $1",
    "$0 = 0.0\nwhile $0 < 1:\n    $0 += 0.25\n!f $0",
    "$0 = 0\nwhile True:\n    $0 += 1\n    if $0 == $p or $b:\n        break\n!i $0",
    "$0 = $l[:5]\nwhile $0:\n    $1 = $0.pop()\n!l $0",
    "$0 = 3\nwhile $0:\n    $0 -= 1\n    if $b:\n        continue\n    $I = $i\nelse:\n    $1 = 'done'\n!i $0",
    "try:\n    $0 = $l[$i]\nexcept IndexError:\n    $0 = -1\n!i $0",
    "try:\n    $0 = 10 // $i\nexcept ZeroDivisionError as $1:\n    $0 = str($1)\nelse:\n    $2 = $0\nfinally:\n    $3 = 1",
    "try:\n    $0 = $d[$s]\nexcept KeyError as $1:\n    $0 = $1.args[0]",
    "try:\n    try:\n        raise ValueError($i)\n    finally:\n        $0 = $i\nexcept ValueError as $1:\n    $2 = $1.args\n!i $0",
    "try:\n    try:\n        1 // $n\n    except ZeroDivisionError as $1:\n        raise KeyError('k') from $1\nexcept KeyError as $2:\n    $3 = type($2.__cause__).__name__",
    "try:\n    assert $b, 'm'\n    $0 = 1\nexcept AssertionError as $1:\n    $0 = str($1)",
    "for $0 in range(3):\n    try:\n        if $b:\n            break\n        if $0 == $n:\n            continue\n        $I = $i\n    finally:\n        $1 = $0\nelse:\n    $2 = 'all'\n!i $0\n!i $1",
    "try:\n    del $0\nexcept NameError:\n    $0 = $i\n!i $0",
    "$0 = $i\ndel $0",
    "match $i:\n    case 0:\n        $0 = 'zero'\n    case 1 | 2 | 3:\n        $0 = 'few'\n    case $1 if $1 > 100:\n        $0 = $1\n    case _:\n        $0 = None",
    "match $l:\n    case [$0, $1]:\n        $2 = $0 + $1\n    case [$0, *$3]:\n        $2 = len($3)\n    case _:\n        $2 = -1\n!i $2",
    "match ($i, $s):\n    case ($0, 'a'):\n        $1 = $0\n    case (0, $1):\n        pass\n    case _:\n        $1 = 0",
    "match $d:\n    case {'a': $0}:\n        $1 = $0\n    case {}:\n        $1 = 'other'",
    "class $0:\n    a = $i\n    b = [a]\n    def get(self):\n        return self.a\n$1 = $0()\n$2 = $1.get() + $0.a\n$0.a = $i\n$3 = $1.a\n!i $2\n!i $3",
    "class $0(Thing):\n    def total(self):\n        return super().total() + 1\n$1 = $0($i)\n$2 = $1.total()\n$3 = isinstance($1, Thing)\n!o $1\n!i $2",
    "with Thing($i) as $0:\n    $1 = $0.x\n    $2 = $l[$n]\n!o $0\n!i $1",
    "$0 = Thing($i) + Thing($i)\n$1 = $0.x",
    "$0 = [Thing($i), Thing($i)]\n$0[0].x = $i\n$1 = sum($2.x for $2 in $0)\n!i $1",
    "$0 = {'o': $O}\n$0['o'].x = $i\n$1 = $O.x",
    "def $0():\n    return $L\n$0().append($i)",
    "def $0(v):\n    v.append($i)\n    v = [0]\n    return v\n$1 = $0($L)\n!l $1",
    "def $0():\n    yield 1\n    if $b:\n        return\n    yield 2\n$1 = list($0())\n!l $1",
    "def $0():\n    k = 0\n    while True:\n        k += 1\n        yield k\nfor $1 in $0():\n    if $1 >= $p:\n        break\n!i $1",
    "def $0(n):\n    def inner():\n        return n\n    n += 1\n    return inner\n$1 = $0($i)()\n!i $1",
    "$0 = []\nfor $1 in range(3):\n    $0.append(lambda: $1)\n$2 = [f() for f in $0]\n!l $2",
    "$0 = []\nfor $1 in range(3):\n    def $2(k=$1):\n        return k + $1\n    $0.append($2)\n$3 = [f() for f in $0]\n!l $3",
    "$0 = $L\n$L = $l\n$0.append($i)\n!l $0",
    "$0 = [$l, $l]\n$1, $2 = $0\n$1.append($i)\n!l $1\n!l $2",
    "$0 = sorted($d.items(), key=lambda $1: ($1[1], str($1[0])))",
    "$0 = max($l, key=lambda $1: -$1, default=None)",
    "$0 = $s.encode()\n$1 = len($0)\n!i $1",
    "$0 = list(map(lambda a, b: a + b, $l, $l))\n!l $0",
    "$0 = any($1 > $n for $1 in $l), all($1 > $n for $1 in $l)",
    "$0 = frozenset($l)\n$1 = $i in $0",
    "$0 = bytearray(b'ab')\n$0.append($i % 256)\n$1 = len($0)",
    "$0 = $l\n$0[:] = [$1 + 1 for $1 in $0]\n!l $0",
    "$0, $1 = $i, $i\n$0, $1 = $1, $0\n!i $0\n!i $1",
    "import math\n$0 = math.gcd($i, $i)\n$1 = math.floor($f)\n$2 = math.sqrt(abs($i))",
    "import itertools\n$0 = list(itertools.chain($l, $t))\n$1 = list(itertools.islice(itertools.count($n), $p))\n!l $0\n!l $1",
    "import functools\n$0 = functools.reduce(lambda a, b: a + b, $l, 0)\n$1 = functools.partial(max, $i)($i)\n!i $0\n!i $1",
    "import collections\n$0 = collections.Counter($s)\n$1 = collections.defaultdict(list)\n$1[$i].append($i)\n$2 = collections.deque($l, maxlen=3)",
    "import operator\n$0 = operator.add($i, $i)\n$1 = operator.itemgetter(0)($t)",
    "import json\n$0 = json.loads(json.dumps($l))",
    "$0 = isinstance($i, bool), callable(len), type($f) is float",
    "$0 = str($f) + repr($t)",
    "$0 = $s < $s, $l == $l, $t > $t, $d == $d",
    "$0 = $i == $f\n$1 = $i is None\n$2 = not $l",
    "$0 = round($f * 100) / 100\n!f $0",
    "exec('$1 = 3')\n$0 = eval('1 + 2')",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = list(filter($1, $l))\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = next(filter(lambda x: $1(x) != $x, $l), None)\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = [next(filter(lambda x: $1(x) > $x, $l), 0) for _ in range($p)]\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = max((x for x in $l), key=$1, default=0), min(map($1, $l), key=$1, default=0)\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = any($1(x) for x in $l), all(map($1, $l))\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = sorted(map($1, $l), key=$1)\n$3 = len($0)\n!i $3\n!l $0",
    "import itertools\n$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = list(itertools.takewhile(lambda x: $1(x) != $x, $l)), list(itertools.dropwhile(lambda x: $1(x) != $x, map($1, $l)))\n$3 = len($0)\n!i $3\n!l $0",
    "import itertools\n$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = list(itertools.accumulate($l, lambda a, b: $1(b))), [(k, len(list(g))) for k, g in itertools.groupby($l, key=$1)]\n$3 = len($0)\n!i $3\n!l $0",
    "import functools\n$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = functools.reduce(lambda a, b: $1(b), map($1, $l), 0)\n$3 = len($0)\n!i $3\n!l $0",
    "import heapq\n$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = heapq.nlargest($p, map($1, $l), key=$1), heapq.nsmallest(1, (x for x in $l), key=$1)\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = dict(zip(map($1, $l), filter($1, $l))), set(map($1, $l))\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = $1($i) and $x and $1($i), $1($i) or $x or $1($i), $0 < [$x] < [$1(1)]\n$3 = len($0)\n!i $3\n!l $0",
    "import re\n$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = re.sub('[a-d]', lambda m: str($1(m.group())), $s)\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = next(iter(lambda: $1($x), $i), 0)\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = []\ndef $1(x, *more):\n    $0.append(x)\n    return x\n$2 = $i in map($1, $l), $i in ($1(x) for x in $l if x != $x)\n$3 = len($0)\n!i $3\n!l $0",
    "$0 = filter(lambda x: x != $x, $L)\n$1 = next($0, None)\n$L.append($i)\n$2 = list($0)\n!l $2",
    "import itertools\n$0 = itertools.chain($l[:$x], $L)\n$1 = next($0, None)\n$L.append($i)\n$2 = list($0)\n!l $2",
    "import itertools\n$0 = itertools.dropwhile(lambda x: x != $x, $L)\n$1 = next($0, None)\n$L[:0] = [$i]\n$2 = list($0)\n!l $2",
    "$0 = iter($l)\n$1 = list(zip($l[:$x], $0))\n$2 = list($0)\n$3 = list(zip(filter(None, $l), iter($2)))\n!l $2",
    "$0 = sum([$f if $x > 1 else $i, $i]), sum(x / 2 for x in $l[:$x]), max($f if $x else $i, $i)",
    "globals()['$0'] = $i",
    "from fractions import Fraction\n$0 = Fraction($i, $p) ** $p\n$1 = Fraction($i) + Fraction(1, $p)\n$2 = $1.numerator, $1.denominator",
    "from decimal import Decimal\n$0 = Decimal($i) + Decimal(2).sqrt()\n$1 = Decimal('1.5') ** $p",
    "import itertools\n$0 = itertools.cycle($s or 'a')\n$1 = next($0)\n$2 = list(itertools.islice($0, $p))\n$3 = next($0) in 'ab'",
    "$0 = iter($l)\n$1 = $i in $0\n$2 = list($0)\n!l $2",
    "$0 = (x * 2 for x in $l)\n$1 = $i in $0\n$2 = list($0)\n!l $2",
    "$0 = any(x > $n for x in range(5000))\n$1 = all(x < 9000 for x in range(5000))\n$2 = 7000 in (x + 1 for x in range(5000))",
    "$0 = '%*d|%.*f' % ($p, $i, $p, $f)\n$1 = '{:>{}}|{:.{w}}'.format($s, $p, $s, w=$p)",
    "$0 = $s.encode()\n$1 = $0.upper()\n$2 = $0.split()\n$3 = $0.strip().replace(b'a', b'bc')\n$4 = $0.find(b'a'), $0.startswith(b'a')\n$5 = b'-'.join([$0, $1])",
    "$0 = bytearray($s.encode())\n$0.extend(b'xyz')\n$1 = $0.pop()\n$2 = $0.upper()\n$3 = len($0), $0.copy()",
    "$0 = abs($i).to_bytes(40, 'big')\n$1 = int.from_bytes($0, 'big')\n$2 = int.from_bytes($s.encode()[:9], 'little')\n!i $1",
    "import copy\n$0 = copy.deepcopy([$l, $d, $t])\n$1 = copy.copy($l)\n$1.append($i)\n!l $1",
    "import heapq\n$0 = sorted($l)\n$1 = heapq.heappushpop($0, $i)\n$2 = heapq.nlargest($p, $l), heapq.nsmallest($p, $l)\n!l $0",
    "import itertools\n$0 = [(k, len(list(g))) for k, g in itertools.groupby($s)]",
    "import functools\n$0 = functools.reduce(lambda a, b: a * b, range(1, $p + 3))\n!i $0",
    "$0 = '7' * ($p * 10)\n$1 = int($0)\n$2 = int($0 + '12') % 97\n!i $1",
    "$0 = [[$i] * $p for _ in range($p)]\n$0[0].append($i)\n$1 = sum(len(row) for row in $0)\n!i $1",
    "$0 = 'a\\tb'.expandtabs($p * 50)\n$1 = len($0)\n!i $1",
    "import asyncio\nasync def $0(n):\n    await asyncio.sleep(0)\n    return n * 2\nasync def $1():\n    task = asyncio.create_task($0($i))\n    return await asyncio.gather($0($i), $0($i)), await task\n$2 = asyncio.run($1())",
    "import sys\nif hasattr(sys, 'set_int_max_str_digits'):\n    sys.set_int_max_str_digits($p * 1000)\n$0 = str(abs($i) + 10 ** 700)\n$1 = len($0)",
];

/// Parts of templates that often raise: they are mostly written where something catches it.
pub const RISKY: &[&str] = &[
    "$l[$n]",
    "$l[-1]",
    "$d[$s]",
    ".index(",
    "ord($s[0])",
    "int($s)",
    "float($s)",
    "$s[$n]\0",
    "[0]\0",
    ".pop()",
    ".pop(0)",
    ".pop($s)",
    ".popitem",
    ".remove(",
    "del $L[$n]\0",
    "$L[$n] ",
    "$L[-1] ",
    "$D[$s] +=",
    "del $D",
    ", *$1 = $l",
    "*$0, $1",
    "$0, $1 = $t",
    "with Thing",
    "Thing($i) + Thing",
    "/ $f",
    "[$i % 3]",
    "$O.extra",
    "$f ** 2",
    "int($f)",
    "round($f",
    "$0 = $i\ndel",
    "str($o)",
    "max($l, key",
    "globals()",
    "($i % -$p)",
];
