# Places checks at guard sites in a program's tree. A check looks at the real operands just before the operation; the
# operation itself stays the program's own, so that dispatch, order of evaluation, results and tracebacks do not change.
#
# The forms, by what the operands are:
#   name or literal on the left:  a ** (b if <both small ints> else check(a, b)),  or  a ** check(a, <expression>)
#   anything else on the left:    operator.pow(*both(<left>, <right>)); `operator.pow` is C, so it has no frame
#   x.f **= e, x[i] **= e:        x.f **= wrap(e), an int whose reflected method checks and then leaves it to int
#   f(…):                         bind(f, …)(), where bind checks the arguments of the functions it knows
# The one difference known: the TypeError of `pow(*3)` names `Value` in place of `pow() argument`.
import _ast
import _functools
import _operator
import builtins
import os
import sys
from _json import encode_basestring_ascii as encode

LIMIT = request["int_bits"]
SMALL, LARGE = 1 << 29, 1 << 66
PREFIX = "antifreeze."
HINTS = {
    "**": "Use smaller operands, or pow(base, exp, mod) for modular exponentiation.",
    "<<": "Use a smaller shift, or keep the exponent itself instead of the shifted number.",
    "*": "Use smaller operands, reduce modulo something at each step, or add logarithms instead of multiplying.",
}
_getframe, _read, _type, _int, _abs = sys._getframe, os.read, type, int, abs


class LimitError(BaseException):
    """An operation was refused. Not an Exception, so that handlers for those do not swallow it."""


def refuse(op, bits, depth):
    """Tells the helper, which ends the program. Does not come back: no handler can go on after a limit."""
    bits = min(bits, 1 << 53)
    text = "Operation '%s' would produce an integer of around %d bits, exceeding the maximum of %d bits allowed. %s" % (
        op, bits, LIMIT, HINTS.get(op, "Use smaller operands."))
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
        send(control, b"l", '{"op":%s,"bits":%d,"message":%s,"frames":[%s]}' % (quote(op), bits, quote(text), ",".join(frames[::-1])))
        # Nothing comes: the helper ends the program now.
        while _read(control, 1):
            pass
    except BaseException:
        pass
    raise LimitError(text)


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


def make_check(op):
    bits_of = BITS[op]

    def careful(a, b):
        """Operands of which one is a bool or of a subclass of int, or that are anything else."""
        if isinstance(a, _int) and isinstance(b, _int) and not own(a, op) and not own(b, op):
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

    return check, both


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
    if _type(function) not in NATIVE:
        return None, 0
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None)
    op = None
    if function is POW and len(args) == 2 and not kwargs:
        op = "**"
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
    if function is _functools.reduce and not kwargs and len(args) in (2, 3) and args[0] in (_operator.mul, _operator.imul):
        return "functools.reduce", factors_bits(args[1]) if args[2:] in ((), (1,)) else 0
    math = sys.modules.get("math")
    if math is None or kwargs or getattr(math, name, None) is not function:
        return name, 0
    if name == "factorial" and len(args) == 1 and plain(*args):
        return "math.factorial", factorial_bits(args[0])
    if name in ("comb", "perm") and len(args) == 2 and plain(*args):
        return "math." + name, choose_bits(*args, name == "comb")
    if name == "perm" and len(args) == 1 and plain(*args):
        return "math.perm", factorial_bits(args[0])
    if name == "prod" and len(args) == 1:
        return "math.prod", factors_bits(args[0])
    return name, 0


def factors_bits(factors):
    """Least bits of the product of what is there already: nothing is consumed, and nothing long is looked through."""
    if _type(factors) is range:
        if len(factors) > 1 << 20:
            # The first ones alone decide.
            factors = factors[:1 << 20] if factors.step > 0 and factors.start > 0 else ()
        if factors and factors[0] < 0 < factors[-1] and 0 in factors:
            return 0
    elif _type(factors) not in (list, tuple) or not plain(*factors):
        return 0
    if 0 in factors:
        return 0
    bits = sum(_abs(item).bit_length() - 1 for item in factors) + 1
    return bits if bits > LIMIT else 0


POW = pow
NATIVE = (_type(pow), _type(_int.__pow__), _type((1).__pow__))
METHODS = {
    "pow": "**", "ipow": "**", "__pow__": "**", "__ipow__": "**", "__rpow__": "**", "lshift": "<<", "ilshift": "<<",
    "__lshift__": "<<", "__ilshift__": "<<", "__rlshift__": "<<", "mul": "*", "imul": "*", "__mul__": "*", "__imul__": "*", "__rmul__": "*",
}
REFLECTED = ("__rpow__", "__rlshift__", "__rmul__")


def bind(function, *args, **kwargs):
    op, bits = call_bits(function, args, kwargs)
    if bits:
        refuse(op, bits, 1)
    return _functools.partial(function, *args, **kwargs)


OPS = {_ast.Pow: "**", _ast.LShift: "<<", _ast.Mult: "*"}
REAL = {
    "**": (_operator.pow, _operator.ipow), "<<": (_operator.lshift, _operator.ilshift), "*": (_operator.mul, _operator.imul),
}


def install():
    """Makes the checks reachable from the program's code under names that no identifier can be."""
    space = builtins.__dict__
    space[PREFIX + "type"], space[PREFIX + "int"], space[PREFIX + "float"] = _type, _int, float
    space[PREFIX + "wrap"], space[PREFIX + "bind"] = wrap, bind
    for op in BITS:
        space[PREFIX + "check" + op], space[PREFIX + "both" + op] = make_check(op)
        space[PREFIX + "real" + op] = REAL[op][0]


def place(tree, sites):
    """Rewrites the tree; gives how many of the sites were found in it."""
    install()
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
        new = rewrite(node)
        if new is not node:
            if index is None:
                setattr(parent, field, new)
            else:
                getattr(parent, field)[index] = new
    return len(found)


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
    if _type(node) is _ast.Name:
        return _ast.Name(node.id, _ast.Load())
    return _ast.Constant(node.value)


def simple(node):
    return _type(node) in (_ast.Name, _ast.Constant)


def is_type(node, what):
    return _ast.Compare(_ast.Call(name("type"), [again(node)], []), [_ast.Is()], [name(what)])


def small_test(node, op, is_right, bound):
    """Conditions under which an operand is a small int; None when it never is, an empty list when it always is."""
    if _type(node) is _ast.Constant:
        small = _type(node.value) is _int and -bound < node.value < bound and (not is_right or op == "*" or node.value < 64)
        return [] if small else None
    if is_right and op != "*":
        return [is_type(node, "int"), _ast.Compare(again(node), [_ast.Lt()], [_ast.Constant(64)])]
    low = _ast.UnaryOp(_ast.USub(), _ast.Constant(bound))
    return [is_type(node, "int"), _ast.Compare(low, [_ast.Lt(), _ast.Lt()], [again(node), _ast.Constant(bound)])]


def checked(left, right, op):
    """The right operand with its check in front."""
    check = call("check" + op, again(left), again(right) if simple(right) else right)
    if not simple(right) or LIMIT < 8192:
        return at(check, right)
    # Comparisons with a bound below 2**30 are the fastest; numbers beside a large literal are likely larger.
    literals = [side.value for side in (left, right) if _type(side) is _ast.Constant and _type(side.value) is _int]
    bound = LARGE if any(not -SMALL < value < SMALL for value in literals) else SMALL
    tests = [small_test(left, op, False, bound), small_test(right, op, True, bound)]
    if None in tests:
        return at(check, right)
    conditions = tests[0] + tests[1]
    if not conditions:
        return right
    # A float on either side never gives an int.
    floats = [is_type(side, "float") for side in (left, right) if _type(side) is _ast.Name]
    test = _ast.BoolOp(_ast.Or(), [_ast.BoolOp(_ast.And(), conditions), *floats])
    return at(_ast.IfExp(test, again(right), check), right)


def other_than_int(node):
    return _type(node) is _ast.Constant and not isinstance(node.value, _int)


def rewrite(node):
    if _type(node) is _ast.Call:
        if any(_type(arg) is _ast.Name and arg.id == "super" for arg in (node.func,)):
            return node
        inner = at(_ast.Call(name("bind"), [node.func, *node.args], node.keywords), node)
        return at(_ast.Call(inner, [], []), node)
    op = OPS[_type(node.op)]
    if _type(node) is _ast.AugAssign:
        if other_than_int(node.value):
            return node
        if _type(node.target) is _ast.Name:
            node.value = checked(node.target, node.value, op)
        else:
            node.value = at(call("wrap", node.value), node.value)
        return node
    if other_than_int(node.left) or other_than_int(node.right):
        return node
    if simple(node.left):
        node.right = checked(node.left, node.right, op)
        return node
    both = call("both" + op, node.left, node.right)
    return at(_ast.Call(name("real" + op), [_ast.Starred(both, _ast.Load())], []), node)
