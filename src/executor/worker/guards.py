# Places checks at guard sites in a program's tree. A check looks at the real operands just before the operation; the
# operation itself stays the program's own, so that dispatch, order of evaluation, results and tracebacks do not change.
#
# The forms, by what the operands are:
#   name or literal on the left:  a ** (b if <both small ints> else check(a, b)),  or  a ** check(a, <expression>)
#   name or literal on the right: left(<expression>, b) * b
#   neither:                      operator.pow(*both(<left>, <right>)); `operator.pow` is C, so it has no frame
#   x.f **= e, x[i] **= e:        x.f **= wrap(e), an int whose reflected method checks and then leaves it to int
#   f(…):                         bind(f, …)(), where bind checks the arguments of the functions it knows; a function of
#                                 the program's own is called as it is:  f(…) if type(f) is function else bind(f, …)()
# What kinds.py knows of an operand saves comparisons, and the check altogether where nothing can grow.
#
# What kinds.py knows of a parameter that stays as it was given is that it stays: what the checks in a loop ask of it is asked
# once, at the start of the function, and kept in a variable of the function's that no identifier can be.
#
# Loops of small ints take 1.0 to 1.25 times as long as unguarded on Python 3.9 to 3.13 (benches/guards.py). Where the gate
# proved that nothing grows there is no check.
#
# The one difference known: the TypeError of `pow(*3)` names `Value` in place of `pow() argument`.
import _ast
import _functools
import _operator
import _signal
import _thread
import builtins
import os
import sys
import time
from _json import encode_basestring_ascii as encode

LIMIT, TIMEOUT, MEMORY = request["int_bits"], request["timeout"], request["memory"]
SMALL, LARGE = 1 << 29, 1 << 66
PREFIX = "antifreeze."
HINTS = {
    "**": "Use smaller operands, or pow(base, exp, mod) for modular exponentiation.",
    "<<": "Use a smaller shift, or keep the exponent itself instead of the shifted number.",
    "*": "Use smaller operands, reduce modulo something at each step, or add logarithms instead of multiplying.",
}
_getframe, _read, _type, _int, _abs, _issubclass = sys._getframe, os.read, type, int, abs, issubclass
_monotonic, _sleep, _ident = time.monotonic, time.sleep, _thread.get_ident
MAIN_THREAD, START = _ident(), _monotonic()


class LimitError(BaseException):
    """An operation was refused. Not an Exception, so that handlers for those do not swallow it."""


def refuse(op, bits, depth):
    """Refuses an operation whose result would have so many bits."""
    bits = min(bits, 1 << 53)
    text = "Operation '%s' would produce an integer of around %d bits, exceeding the maximum of %d bits allowed. %s" % (
        op, bits, LIMIT, HINTS.get(op, "Use smaller operands."))
    end(op, "int_bits", bits, text, depth + 1)


def end(op, limit, observed, text, depth):
    """Tells the helper, which ends the program. Does not come back: no handler can go on after a limit."""
    frames, frame = [], _getframe(depth + 1)
    while frame is not None and len(frames) < 100:
        code = frame.f_code
        if code.co_filename == "<antifreeze>":
            if frames:
                break
        else:
            frames.append("[%s,%d,%s]" % (quote(code.co_filename), frame.f_lineno or 0, quote(code.co_name)))
        frame = frame.f_back
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    try:
        send(control, b"l", '{"op":%s,"limit":%s,"observed":%r,"message":%s,"frames":[%s]}' % (
            quote(op), quote(limit), observed, quote(text), ",".join(frames[::-1])))
        # Nothing comes: the helper ends the program now. In a session without a backup it has the step end instead.
        refused()
    except BaseException:
        pass
    raise LimitError(text)


def until_the_end():
    while _read(control, 1):
        pass


refused = globals().get("refused", until_the_end)


def quote(text):
    return encode(text.encode("utf-8", "replace").decode("utf-8"))


def log2(a):
    """The logarithm of an int above 0, with no help from a module that a program may have changed."""
    n = a.bit_length()
    part = (a >> (n - 60) if n > 60 else a << (60 - n)) / (1 << 59)
    whole, bit = n - 1, 0.5
    while bit > 1e-16:
        part *= part
        if part >= 2.0:
            part /= 2.0
            whole += bit
        bit /= 2.0
    return whole


def power_bits(a, b):
    """Bits of `a ** b` where that is over the limit, else 0."""
    if b <= 0 or -2 < a < 2:
        return 0
    n = a.bit_length()
    if n * b <= LIMIT:
        return 0
    if b >= 1 << 53:
        return (n - 1) * b + 1
    estimate = int(b * log2(_abs(a))) + 1
    if -2 <= estimate - LIMIT <= 2:
        # A double does not decide this close to the limit; the number itself is cheap enough.
        estimate = (a**b).bit_length()
    return estimate if estimate > LIMIT else 0


def shift_bits(a, b):
    # A count that does not fit a word raises at once.
    if a == 0 or b <= 0 or b >= 1 << 63:
        return 0
    bits = a.bit_length() + b
    return bits if bits > LIMIT else 0


def product_bits(a, b):
    if a.bit_length() + b.bit_length() <= LIMIT:
        return 0
    m, n = a.bit_length(), b.bit_length()
    if m == 0 or n == 0:
        return 0
    if m + n - 1 > LIMIT:
        return m + n
    bits = (a * b).bit_length()
    return bits if bits > LIMIT else 0


BITS = {"**": power_bits, "<<": shift_bits, "*": product_bits}


def own(a, op):
    """Whether a subclass of int brings an operator of its own: then the result is not int's to bound."""
    kind = _type(a)
    if kind is _int or kind is bool:
        return False
    forward, reflected = {"**": ("__pow__", "__rpow__"), "<<": ("__lshift__", "__rlshift__"), "*": ("__mul__", "__rmul__")}[op]
    return getattr(kind, forward, None) is not getattr(_int, forward) or getattr(kind, reflected, None) is not getattr(_int, reflected)


SEQUENCES = (str, bytes, bytearray, list, tuple)


def repeated_bytes(a, b):
    """The least size of `a * b` where one is a sequence and the size is over the memory limit, else 0."""
    sequence, times = (a, b) if _type(a) in SEQUENCES else (b, a)
    if _type(sequence) not in SEQUENCES or _type(times) is not _int or times < 2:
        return 0
    length = sequence.__len__()
    width = 8 if _type(sequence) in (list, tuple) else 1
    if _type(sequence) is str and length and not sequence.isascii():
        # What one character takes, from what all take; headers of 76 bytes at most.
        width = max(1, (sequence.__sizeof__() - 76) // length)
    if length * times >= 1 << 63:
        return 0  # Raises at once.
    size = length * times * width
    return size if size > MEMORY else 0


def make_check(op):
    bits_of = BITS[op]

    def careful(a, b):
        """Operands of which one is a bool or of a subclass of int, or that are anything else."""
        if op == "*" and (size := repeated_bytes(a, b)):
            end(op, "memory", size, "Operation '*' would allocate around %d bytes, exceeding the maximum of %d bytes allowed. "
                "Use fewer repetitions, or produce the items one at a time." % (size, MEMORY), 2)
        if _issubclass(_type(a), _int) and _issubclass(_type(b), _int) and not own(a, op) and not own(b, op):
            return bits_of(_int(a), _int(b))
        if op == "**" and _type(b) is _int:
            fractions = sys.modules.get("fractions")
            if _type(a) is getattr(fractions, "Fraction", None):
                return max(power_bits(a._numerator, _abs(b)), power_bits(a._denominator, _abs(b)))
        return 0

    def check(a, b):
        bits = bits_of(a, b) if _type(a) is _int and _type(b) is _int else careful(a, b)
        if bits:
            refuse(op, bits, 1)
        return b

    def both(a, b):
        bits = bits_of(a, b) if _type(a) is _int and _type(b) is _int else careful(a, b)
        if bits:
            refuse(op, bits, 1)
        return a, b

    def left(a, b):
        bits = bits_of(a, b) if _type(a) is _int and _type(b) is _int else careful(a, b)
        if bits:
            refuse(op, bits, 1)
        return a

    return check, both, left


class Watched(_int):
    """An int on the right of `x.f **= …`. Python asks a subclass's reflected method before int's own operator: it checks,
    declines, and int computes."""

    __slots__ = ()

    def __rpow__(self, left, mod=None):
        if _type(left) is _int and (bits := power_bits(left, _int(self))):
            refuse("**", bits, 1)
        return NotImplemented

    def __rlshift__(self, left):
        if _type(left) is _int and (bits := shift_bits(left, _int(self))):
            refuse("<<", bits, 1)
        return NotImplemented

    def __rmul__(self, left):
        if _type(left) is _int and (bits := product_bits(left, _int(self))):
            refuse("*", bits, 1)
        return NotImplemented


def wrap(value):
    return Watched(value) if _type(value) is _int else value


def factorial_bits(n):
    if n < 2:
        return 0
    import math

    if n > 1 << 60:
        return n
    bits = int(math.lgamma(n + 1) / math.log(2)) + 1
    return bits if bits > LIMIT else 0


def choose_bits(n, k, divide):
    if k < 0 or k > n or n > 1 << 60:
        return 0
    import math

    bits = math.lgamma(n + 1) - math.lgamma(n - k + 1) - (math.lgamma(k + 1) if divide else 0)
    bits = int(bits / math.log(2))
    # lgamma of large arguments cancels: only what is clearly over is refused.
    return bits if bits > LIMIT * 1.001 + n * 1e-9 else 0


def plain(*values):
    return all(_type(value) is _int for value in values)


def call_bits(function, args, kwargs):
    """(operator, bits) where a call of a function that is known here goes over the limit. All of those are native; anything
    else is not even asked for its name, which could be code of the program's."""
    if _type(function) is _functools.partial and _type(function.args) is tuple:
        return call_bits(function.func, function.args + args, {**function.keywords, **kwargs})
    if _type(function) not in NATIVE:
        return None, 0
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None)
    op = None
    if function is POW and len(args) == 2 and not kwargs:
        op = "**"
    elif function is POW and not args and kwargs.keys() == {"base", "exp"}:
        op, args, kwargs = "**", (kwargs["base"], kwargs["exp"]), {}
    elif name in METHODS and module in ("_operator", "operator") and function is getattr(_operator, name, None):
        op = METHODS[name]
    elif name in METHODS and function is _int.__dict__.get(name):
        op = METHODS[name]
    elif name in METHODS and _type(owner) is _int and _type(function) is _type((1).__pow__):
        op, args = METHODS[name], (owner, *args)
    if op is not None:
        if len(args) != 2 or kwargs or not plain(*args):
            return op, 0
        a, b = args if name not in REFLECTED else args[::-1]
        return op, BITS[op](a, b)
    if function is _sleep and len(args) == 1 and not kwargs:
        refuse_sleep(args[0])
        return name, 0
    math = sys.modules.get("math")
    if math is None or getattr(math, name, None) is not function:
        return name, 0
    if name == "prod" and len(args) == 1 and kwargs.keys() <= {"start"}:
        return "math.prod", product_of(args[0], kwargs.get("start", 1))
    if kwargs:
        return name, 0
    if name == "factorial" and len(args) == 1 and plain(*args):
        return "math.factorial", factorial_bits(args[0])
    if name in ("comb", "perm") and len(args) == 2 and plain(*args):
        return "math." + name, choose_bits(*args, name == "comb")
    if name == "perm" and len(args) == 1 and plain(*args):
        return "math.perm", factorial_bits(args[0])
    if name == "lcm" and len(args) <= 64 and plain(*args) and sum([item.bit_length() for item in args]) > LIMIT:
        least = 1
        for item in args:
            # Neither the greatest common divisor nor a product of this size takes long.
            least = math.lcm(least, item)
            if least.bit_length() > LIMIT:
                return "math.lcm", least.bit_length()
    return name, 0


def product_of(items, start):
    """Bits of the product of the items of a list, a tuple or a range, where all are ints and it is over the limit."""
    if _type(items) not in (list, tuple, range) or _type(start) is not _int:
        return 0
    least, most = start.bit_length() - 1, start.bit_length()
    for item in items:
        if _type(item) is not _int:
            return 0
        bits = item.bit_length()
        if bits == 0 or most == 0:
            return 0  # From here on it is 0; up to here it was within the limit.
        least, most = least + bits - 1, most + bits
        if least >= LIMIT:
            return least + 1
    return 0


def refuse_sleep(seconds):
    """Refuses to sleep past the deadline where nothing could end the sleep before: this is the main thread of a program that has
    no other thread, no child, no timer and no handler of its own."""
    if _type(seconds) not in (_int, float) or not 1 < seconds < 9.2e9:
        return
    left = TIMEOUT - (_monotonic() - START)
    if seconds <= left or _ident() != MAIN_THREAD:
        return
    try:
        if len(os.listdir("/proc/self/task")) != 1 or any(_signal.getitimer(_signal.ITIMER_REAL)):
            return
        for number in range(1, 65):
            try:
                handler = _signal.getsignal(number)
            except ValueError:
                continue
            if handler not in (_signal.SIG_DFL, _signal.SIG_IGN, None, _signal.default_int_handler):
                return
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            return
        except ChildProcessError:
            pass
    except Exception:
        return
    over = "in all, exceeding" if seconds > TIMEOUT else "with %.6g s left of" % max(left, 0)
    end("time.sleep", "timeout", float(seconds), "'time.sleep' would wait for at least %.6g s %s the maximum of %.6g s allowed. Wait for less, "
        "wait for the event itself with a timeout, or leave the waiting to the caller and return now." % (seconds, over, TIMEOUT), 3)


POW = pow
NATIVE = (_type(pow), _type(_int.__pow__), _type((1).__pow__))
METHODS = {
    "pow": "**", "ipow": "**", "__pow__": "**", "__ipow__": "**", "__rpow__": "**", "lshift": "<<", "ilshift": "<<",
    "__lshift__": "<<", "__ilshift__": "<<", "__rlshift__": "<<", "mul": "*", "imul": "*", "__mul__": "*", "__imul__": "*", "__rmul__": "*",
}
REFLECTED = ("__rpow__", "__rlshift__", "__rmul__")
# Methods that have a function called elsewhere, with the number of arguments before it.
DEFERRED = {"submit": 0, "to_thread": 0, "run_in_executor": 1, "apply": 0, "apply_async": 0}
PRODUCTS = {"mul": "*", "imul": "*"}


def bind(function, *args, **kwargs):
    """The call of a function, made ready: what is called then is native, and has no frame."""
    op, bits = call_bits(function, args, kwargs)
    if bits:
        refuse(op, bits, 1)
    if args:
        kind = _type(function)
        if kind is _type(bind) or kind is METHOD:
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            at = DEFERRED.get(code.co_name) if code is not None else None
            if at is not None and len(args) > at + 1 and _type(args[at]) in NATIVE:
                op, bits = call_bits(args[at], args[at + 1:], kwargs)
                if bits:
                    refuse(op, bits, 1)
        elif function is map or function is _functools.reduce or kind is _type and getattr(function, "__module__", "") == "itertools":
            args = watched(function, args, kwargs)
    return _functools.partial(function, *args, **kwargs)


def watched(function, args, kwargs):
    """The arguments of `map`, `reduce`, `starmap` or `accumulate`, with iterables that check each item on its way."""
    name = function.__name__
    if name == "accumulate":
        inner = kwargs.get("func", args[1] if len(args) > 1 else None)
        at, start = 0, kwargs.get("initial")
    else:
        inner, at, start = args[0], 1, args[2] if len(args) > 2 else None
    if _type(inner) not in NATIVE or len(args) <= at or _type(args[at]) not in KNOWN_ITERABLES:
        return args
    kind = getattr(inner, "__name__", "")
    if name in ("reduce", "accumulate"):
        known = getattr(inner, "__module__", None) in ("_operator", "operator") or inner is POW
        step = running(METHODS[kind], start) if known and kind in METHODS else running_lcm(inner, start) if kind == "lcm" else None
        return args if step is None else (*args[:at], map(step, args[at]), *args[at + 1:])
    if name == "starmap" or len(args) == 2:

        def one(item):
            given = item if name == "starmap" else (item,)
            if _type(given) is tuple:
                op, bits = call_bits(inner, given, {})
                if bits:
                    refuse(op, bits, 1)
            return item

        return inner, map(one, args[1])
    if name == "map" and len(args) == 3 and _type(args[2]) in KNOWN_ITERABLES:
        first = []

        def left(item):
            first[:] = (item,)
            return item

        def right(item):
            op, bits = call_bits(inner, (*first, item), {})
            first.clear()
            if bits:
                refuse(op, bits, 1)
            return item

        return inner, map(left, args[1]), map(right, args[2])
    return args


def running(op, start):
    """A step that lets items through and follows the size of what they are folded into; until something else than an int comes.
    The logarithm it keeps is not exact: within a bit of the limit nothing is refused."""
    total = None

    def step(item):
        nonlocal total
        if total == "other" or _type(item) is not _int:
            total = "other"
        elif total is None:
            total = size(item)
        elif op == "*":
            total = total + size(item) if item and total >= 0 else -1.0
        elif op == "<<":
            total = total + item if total >= 0 and 0 <= item < 1 << 53 else "other" if total >= 0 else total
        else:
            total = 0.0 if item == 0 else "other" if item < 0 or item >= 1 << 53 else total * item if total > 0 else total
        if total != "other" and total is not None and total > LIMIT:
            refuse(op, _int(min(total, 1e18)) + 1, 1)
        return item

    def size(item):
        # -1 stands for the logarithm of 0.
        return log2(_abs(item)) if item else -1.0

    if start is not None:
        step(start)
    return step


def running_lcm(inner, start):
    math = sys.modules.get("math")
    if math is None or inner is not getattr(math, "lcm", None):
        return None
    least, most = 1, 0

    def step(item):
        nonlocal least, most
        if _type(item) is _int and most >= 0:
            least = inner(least, item)
            if least.bit_length() > LIMIT:
                refuse("math.lcm", least.bit_length(), 1)
        else:
            most = -1
        return item

    if start is not None:
        step(start)
    return step


METHOD = _type(Watched.__dict__["__rmul__"].__get__(Watched()))
KNOWN_ITERABLES = (
    list, tuple, range, set, frozenset, dict, str, bytes, bytearray, map, zip, filter, enumerate, reversed,
    _type(_ for _ in ()), _type({}.keys()), _type({}.values()), _type({}.items()), _type(iter([])), _type(iter(range(0))),
)


OPS = {_ast.Pow: "**", _ast.LShift: "<<", _ast.Mult: "*"}
REAL = {
    "**": (_operator.pow, _operator.ipow), "<<": (_operator.lshift, _operator.ilshift), "*": (_operator.mul, _operator.imul),
}


def install():
    """Makes the checks reachable from the program's code under names that no identifier can be."""
    space = builtins.__dict__
    space[PREFIX + "type"], space[PREFIX + "int"], space[PREFIX + "float"] = _type, _int, float
    space[PREFIX + "wrap"], space[PREFIX + "bind"], space[PREFIX + "function"] = wrap, bind, _type(bind)
    for op in BITS:
        space[PREFIX + "check" + op], space[PREFIX + "both" + op], space[PREFIX + "left" + op] = make_check(op)
        space[PREFIX + "real" + op] = REAL[op][0]


def place(tree, sites):
    """Rewrites the tree; gives how many of the sites were found in it."""
    install()
    places, repeated, shadowed = survey(tree)
    modules = module_names(tree)
    wanted = {tuple(site[:4]): site[4] for site in sites}
    found = []
    stack = [(tree, None, None, None)]
    while stack:
        node, parent, field, index = stack.pop()
        kind = _type(node)
        if kind in (_ast.BinOp, _ast.AugAssign, _ast.Call):
            key = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            op = wanted.get(key)
            if op is not None and (kind is _ast.Call) == (op == "call"):
                if kind is _ast.Call or OPS.get(_type(node.op)) == op.rstrip("="):
                    found.append((node, parent, field, index))
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, _ast.AST):
                stack.append((child, node, name, None))
            elif _type(child) is list:
                for i, item in enumerate(child):
                    if isinstance(item, _ast.AST):
                        stack.append((item, node, name, i))
    # Children first: what a parent refers to is then already the rewritten one.
    for node, parent, field, index in reversed(found):
        look = Look(places.get(node) or Scope("class", None), shadowed, node in repeated)
        new = rewrite(node, look, modules)
        if new is not node:
            if index is None:
                setattr(parent, field, new)
            else:
                getattr(parent, field)[index] = new
    for scope in {*places.values()}:
        state_known(scope)
    return len(found)


class Look:
    """Where an operation stands: its scope, the names that are not the builtins they seem, and whether a loop repeats it."""

    def __init__(self, scope, shadowed, repeated):
        self.scope, self.shadowed, self.repeated = scope, shadowed, repeated


def known_once(node, what, tests, look):
    """Tests of an operand. What is asked of a parameter that stays the same is asked once, at the start of the function."""
    if not look.repeated or _type(node) is not _ast.Name or node.id not in look.scope.steady:
        return tests
    variable = PREFIX + what + "." + node.id
    look.scope.known[variable] = every(tests)
    return [_ast.Name(variable, _ast.Load())]


def state_known(scope):
    """Has a function find out first what its checks ask of its parameters."""
    if not scope.known:
        return
    body = scope.node.body
    first = body[0]
    start = 1 if _type(first) is _ast.Expr and _type(first.value) is _ast.Constant and _type(first.value.value) is str else 0
    place = body[min(start, len(body) - 1)]
    asked = [_ast.Assign([_ast.Name(variable, _ast.Store())], copy(test, False)) for variable, test in scope.known.items()]
    body[start:start] = [at(statement, place) for statement in asked]


def at(new, old):
    """Gives a new node, and all new ones in it, the place of an old one."""
    stack = [new]
    while stack:
        node = stack.pop()
        if "lineno" in node._attributes and getattr(node, "lineno", None) is None:
            node.lineno, node.col_offset = old.lineno, old.col_offset
            node.end_lineno, node.end_col_offset = old.end_lineno, old.end_col_offset
            for name in node._fields:
                child = getattr(node, name, None)
                for item in child if _type(child) is list else (child,):
                    if isinstance(item, _ast.AST):
                        stack.append(item)
    return new


def name(text):
    return _ast.Name(PREFIX + text, _ast.Load())


def call(function, *args):
    return _ast.Call(name(function), list(args), [])


def again(node):
    """A second reading of a name or literal."""
    new = _ast.Name(node.id, _ast.Load()) if _type(node) is _ast.Name else _ast.Constant(node.value)
    new.lineno, new.col_offset, new.end_lineno, new.end_col_offset = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
    return new


def simple(node):
    return _type(node) in (_ast.Name, _ast.Constant)


def is_type(node, what):
    return _ast.Compare(_ast.Call(name("type"), [again(node)], []), [_ast.Is()], [name(what)])


def less(left, right):
    return _ast.Compare(left, [_ast.Lt()], [right])


def small_test(node, op, is_right, bound, look):
    """(conditions under which an operand is a small int, or None when it never is; whether its type is known)."""
    if _type(node) is _ast.Constant:
        small = _type(node.value) is _int and -bound < node.value < bound and (not is_right or op == "*" or node.value < 64)
        return ([] if small else None), True
    scope = look.scope
    known = holds(node, scope, "numbers")
    tests = [] if known else [is_type(node, "int")]
    if is_right and op != "*":
        return known_once(node, "few", [*tests, less(again(node), _ast.Constant(64))], look), known
    if known and op == "*" and holds(node, scope, "bounded"):
        return [], True
    if not known or not holds(node, scope, "natural"):
        tests.append(less(_ast.UnaryOp(_ast.USub(), _ast.Constant(bound)), again(node)))
    return known_once(node, "small" if bound == SMALL else "large", [*tests, less(again(node), _ast.Constant(bound))], look), known


def either_float(operands, look):
    """Tests of which one holds where an operation cannot give an int, as an operand is a float."""
    return [test for operand in operands for test in known_once(operand, "float", [is_type(operand, "float")], look)]


def every(tests):
    return tests[0] if len(tests) == 1 else _ast.BoolOp(_ast.And(), tests)


def checked(left, right, op, look):
    """The right operand with its check in front."""
    check = call("check" + op, again(left), again(right) if simple(right) else right)
    if not simple(right) or LIMIT < 8192:
        return at(check, right)
    # Comparisons with a bound below 2**30 are the fastest; numbers beside a large literal are likely larger.
    literals = [side.value for side in (left, right) if _type(side) is _ast.Constant and _type(side.value) is _int]
    bound = LARGE if any(not -SMALL < value < SMALL for value in literals) else SMALL
    tests, known = zip(small_test(left, op, False, bound, look), small_test(right, op, True, bound, look))
    if None in tests:
        return at(check, right)
    if _type(left) is _type(right) is _ast.Name and left.id == right.id and op == "*":
        tests = tests[:1]
    conditions = [test for side in tests for test in side]
    if not conditions:
        return right
    test = every(conditions)
    floats = either_float([side for side, sure in zip((left, right), known) if _type(side) is _ast.Name and not sure], look)
    if floats:
        test = _ast.BoolOp(_ast.Or(), [test, *floats])
    return at(_ast.IfExp(test, again(right), check), right)


def leaves(node, scope):
    """The names in a sum or product of small literals and variables that hold numbers, or None where it is anything else."""
    if _type(node) is _ast.Constant:
        return [] if _type(node.value) is _int and -SMALL < node.value < SMALL else None
    if _type(node) is _ast.Name:
        return [node] if holds(node, scope, "numbers") else None
    if _type(node) is _ast.BinOp and _type(node.op) in (_ast.Add, _ast.Sub, _ast.Mult):
        left, right = leaves(node.left, scope), leaves(node.right, scope)
        return None if left is None or right is None else left + right
    return None


def other_than_int(node):
    return _type(node) is _ast.Constant and not isinstance(node.value, _int) and not isinstance(node.value, (str, bytes))


def rewrite(node, look, modules):
    scope, shadowed = look.scope, look.shadowed
    if _type(node) is _ast.Call:
        return rewrite_call(node, modules)
    op = OPS[_type(node.op)]
    if _type(node) is _ast.AugAssign:
        if other_than_int(node.value):
            return node
        if _type(node.target) is _ast.Name:
            node.value = checked(node.target, node.value, op, look)
        else:
            node.value = at(call("wrap", node.value), node.value)
        return node
    if other_than_int(node.left) or other_than_int(node.right):
        return node
    if op == "*" and LIMIT >= 8192 and is_bounded(node.left, scope, shadowed) and is_bounded(node.right, scope, shadowed):
        return node
    if simple(node.left):
        node.right = checked(node.left, node.right, op, look)
        return node
    names = leaves(node.left, scope)
    if op == "*" and names is not None and not simple(node.right):
        more = leaves(node.right, scope)
        names = None if more is None else names + more
    if names is not None and len(names) <= 6 and LIMIT >= 8192 and (op == "*" or simple(node.right)):
        # Sums and products of few small ints are small; all that is read here are numbers, and reading them again is the same.
        tests = {item.id: small_test(item, op, False, SMALL, look) for item in names}
        if simple(node.right):
            tests[getattr(node.right, "id", None)] = small_test(node.right, op, True, SMALL, look)
        if None not in [test for test, _ in tests.values()]:
            conditions = [test for side, _ in tests.values() for test in side]
            floats = either_float([node.right], look) if not all(known for _, known in tests.values()) else []
            if conditions:
                test = every(conditions)
                test = _ast.BoolOp(_ast.Or(), [test, *floats]) if floats else test
                check = call("check" + op, copy(node.left), copy(node.right))
                node.right = at(_ast.IfExp(test, copy(node.right), check), node.right)
            return node
    if simple(node.right):
        # Nothing runs between the check and the second reading.
        node.left = at(call("left" + op, node.left, again(node.right)), node.left)
        return node
    both = call("both" + op, node.left, node.right)
    return at(_ast.Call(name("real" + op), [_ast.Starred(both, _ast.Load())], []), node)


def rewrite_call(node, modules):
    callee = node.func
    if _type(callee) is _ast.Name and callee.id == "super":
        return node
    inner = at(_ast.Call(name("bind"), [callee, *node.args], node.keywords), node)
    bound = at(_ast.Call(inner, [], []), node)
    if _type(callee) is not _ast.Name or callee.id in modules:
        return bound
    # It may be a function of the program's own, and that one deeply recursive.
    if len(node.args) > 4 or not all(copied(arg, 12) for arg in (*node.args, *[keyword.value for keyword in node.keywords])):
        return bound if callee.id not in FOREIGN else node
    again_args = [copy(arg) for arg in node.args]
    plainly = _ast.Call(again(callee), again_args, [at(_ast.keyword(word.arg, copy(word.value)), word) for word in node.keywords])
    return at(_ast.IfExp(is_type(callee, "function"), at(plainly, node), bound), node)


FOREIGN = set()


def copied(node, most):
    """Whether an expression is short and nothing in it is called in two ways already."""
    left, stack = most, [node]
    while stack:
        node = stack.pop()
        left -= 1
        if left < 0 or _type(node) not in COPIED:
            return False
        stack.extend(child for field in node._fields for child in (lambda c: c if _type(c) is list else (c,))(getattr(node, field, None))
                     if isinstance(child, _ast.AST))
    return True


COPIED = (
    _ast.Name, _ast.Constant, _ast.BinOp, _ast.UnaryOp, _ast.Attribute, _ast.Subscript, _ast.Load, _ast.Add, _ast.Sub, _ast.Mult, _ast.Div,
    _ast.FloorDiv, _ast.Mod, _ast.USub, _ast.UAdd, _ast.Not, _ast.Slice, _ast.Tuple, _ast.Compare, _ast.Lt, _ast.Gt, _ast.Eq,
)


def copy(node, placed=True):
    """A second one of an expression, in the same place or in none."""
    new = _type(node)()
    for field in node._fields:
        value = getattr(node, field, None)
        if _type(value) is list:
            value = [copy(item, placed) if isinstance(item, _ast.AST) else item for item in value]
        elif isinstance(value, _ast.AST):
            value = copy(value, placed)
        setattr(new, field, value)
    for field in node._attributes if placed else ():
        if hasattr(node, field):
            setattr(new, field, getattr(node, field))
    return new


def module_names(tree):
    """Names that stand for modules or what was imported from them, and are nothing else, so that a function of the program's own
    is not among them."""
    found, other, aliases = set(), set(), []
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = _type(node)
        if kind in (_ast.Import, _ast.ImportFrom):
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif kind in (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef):
            other.add(node.name)
            FOREIGN.add(node.name)
        elif kind is _ast.arg:
            other.add(node.arg)
        elif kind is _ast.Name and _type(node.ctx) is not _ast.Load:
            other.add(node.id)
        for field in node._fields:
            child = getattr(node, field, None)
            stack.extend(item for item in (child if _type(child) is list else (child,)) if isinstance(item, _ast.AST))
    return (found | {"pow", "map"}) - other
