# What a program's text alone says of its variables: which hold numbers whatever happens, which are never negative, and
# which stay small. A check of such an operand is one comparison, or none; a comparison with an operand of unknown type
# could run the program's own code. Nothing here looks at values.
import _ast

NUMERIC = (_ast.Add, _ast.Sub, _ast.Mult, _ast.FloorDiv, _ast.Mod, _ast.Div, _ast.LShift, _ast.RShift, _ast.BitAnd, _ast.BitOr, _ast.BitXor)
FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda)
LOOPS = (_ast.For, _ast.AsyncFor, _ast.While)
COMPREHENSIONS = (_ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp)
# Builtins whose result is an int or a float of exactly that type, and those of which it is a length or a code point.
MEASURES = ("len", "ord")
CONVERSIONS = ("int", "float", "bool", "hash", "id", *MEASURES)
# Names through which a module's variables can be reached by other ways than their names.
BACKDOORS = {"globals", "exec", "eval", "locals", "vars", "__dict__", "setattr", "__main__", "modules", "f_globals", "f_locals", "import_module", "__import__"}
# Names through which a function's own variables, or what it is compiled to, can be seen.
MIRRORS = {"locals", "vars", "dir", "f_locals", "exec", "eval", "__code__", "co_varnames", "co_nlocals", "f_code", "gi_code", "cr_code", "dis"}
LITTLE = 1 << 29


class Scope:
    """One namespace: what is assigned to each of its names. None stands for anything."""

    def __init__(self, kind, parent, node=None):
        self.kind, self.parent, self.node = kind, parent, node
        self.assigned, self.elsewhere = {}, set()
        self.numbers, self.natural, self.bounded = set(), set(), set()
        # Parameters that stay what they are given; what the checks want to know of them once, at the start of the function.
        self.steady, self.known = set(), {}

    def assign(self, name, value):
        self.assigned.setdefault(name, []).append(value)


def survey(tree):
    """Gives (the scope in which each operation is evaluated, the operations in loops, the names that are not the builtins they
    seem)."""
    module = Scope("module", None)
    scopes, places, repeated = [module], {}, set()
    closed, declared, mirrored = set(), [], False
    stack = [(tree, module, False)]
    while stack:
        node, scope, loops = stack.pop()
        kind = type(node)
        if kind in (_ast.BinOp, _ast.AugAssign, _ast.Call):
            places[node] = scope
            if loops:
                repeated.add(node)
        if kind in FUNCTIONS or kind is _ast.ClassDef or kind in COMPREHENSIONS:
            inner = Scope("class" if kind is _ast.ClassDef else "function", scope, node)
            scopes.append(inner)
            if kind is _ast.ClassDef or kind in FUNCTIONS and kind is not _ast.Lambda:
                scope.assign(node.name, None)
            stack.extend((child, *((inner, False) if inside else (scope, loops))) for child, inside in parts_of(node))
            continue
        loops = loops or kind in LOOPS
        if kind in (_ast.Global, _ast.Nonlocal):
            scope.elsewhere.update(node.names)
            declared.extend(node.names)
        elif kind is _ast.arg:
            scope.assign(node.arg, None)
        elif kind in (_ast.Import, _ast.ImportFrom):
            mirrored = mirrored or any(alias.name in MIRRORS for alias in node.names)
            for alias in node.names:
                closed.update({alias.name, alias.name.split(".")[0], getattr(node, "module", None)} & {"*", "builtins", *BACKDOORS})
                scope.assign((alias.asname or alias.name).split(".")[0], None)
        elif kind is _ast.ExceptHandler and node.name:
            scope.assign(node.name, None)
        elif kind is _ast.Assign:
            for target in node.targets:
                bind_target(scope, target, node.value)
        elif kind is _ast.AugAssign and type(node.target) is _ast.Name:
            bind_target(scope, node.target, _ast.BinOp(_ast.Name(node.target.id, _ast.Load()), node.op, node.value))
        elif kind is _ast.AnnAssign and node.value is not None:
            bind_target(scope, node.target, node.value)
        elif kind in (_ast.For, _ast.AsyncFor, _ast.comprehension):
            bind_loop(scope, node.target, node.iter)
        elif kind is _ast.NamedExpr:
            # In a comprehension it binds a name further out.
            outer = scope
            while outer is not None:
                outer.assign(node.target.id, None)
                outer = outer.parent
        elif kind is _ast.Name:
            if type(node.ctx) is _ast.Del or type(node.ctx) is _ast.Store and not getattr(node, "seen", False):
                scope.assign(node.id, None)
            closed.update({node.id} & {"__builtins__", *BACKDOORS})
            mirrored = mirrored or node.id in MIRRORS
        elif kind is _ast.Attribute:
            closed.update({node.attr} & BACKDOORS)
            mirrored = mirrored or node.attr in MIRRORS
        elif kind.__name__ in ("MatchAs", "MatchStar", "MatchMapping", "TypeVar", "ParamSpec", "TypeVarTuple"):
            bound = getattr(node, "name", None) or getattr(node, "rest", None)
            if type(bound) is str:
                scope.assign(bound, None)
        for field in node._fields:
            child = getattr(node, field, None)
            stack.extend((item, scope, loops) for item in (child if type(child) is list else (child,)) if isinstance(item, _ast.AST))
    for scope in scopes:
        # What another scope assigns is anything there, and in all others that have the name.
        for name in declared:
            if name in scope.assigned or scope is module:
                scope.assign(name, None)
        for name in scope.elsewhere:
            scope.assigned.pop(name, None)
        if "f_locals" in closed or closed and scope is module:
            scope.assigned = dict.fromkeys(scope.assigned, [None])
    shadowed = {name for scope in scopes for name in scope.assigned}
    if closed:
        shadowed |= {*CONVERSIONS, "range", "enumerate", "abs", "min", "max"}
    for scope in scopes:
        if scope.kind != "class":
            settle(scope, shadowed)
        if type(scope.node) in (_ast.FunctionDef, _ast.AsyncFunctionDef) and not mirrored:
            args = scope.node.args
            plain = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
            scope.steady = {name for name in plain if len(scope.assigned.get(name, ())) == 1}
    return places, repeated, shadowed


def parts_of(node):
    """The parts of a node that opens a scope, each with whether it is evaluated inside."""
    kind = type(node)
    if kind in FUNCTIONS:
        body = node.body if type(node.body) is list else [node.body]
        args = node.args
        every = [*getattr(args, "posonlyargs", ()), *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        named = [_ast.arg(arg.arg, None) for arg in every if arg is not None]
        notes = [arg.annotation for arg in every if arg is not None]
        outside = [*args.defaults, *args.kw_defaults, *notes, *getattr(node, "decorator_list", ()), getattr(node, "returns", None)]
        inside = [*body, *named, *getattr(node, "type_params", ())]
    elif kind is _ast.ClassDef:
        inside = [*node.body, *getattr(node, "type_params", ())]
        outside = [*node.bases, *node.keywords, *node.decorator_list]
    else:
        first, *rest = node.generators
        # Only the first iterable is evaluated outside; what it gives is bound inside all the same.
        loop = _ast.comprehension(first.target, _ast.Call(_ast.Name("", _ast.Load()), [], []), first.ifs, 0)
        if type(first.iter) is _ast.Call and type(first.iter.func) is _ast.Name and not first.iter.keywords:
            loop.iter = _ast.Call(first.iter.func, [arg if type(arg) is _ast.Constant else _ast.Name("", _ast.Load()) for arg in first.iter.args], [])
        inside = [loop, *rest, *(getattr(node, name) for name in ("elt", "key", "value") if hasattr(node, name))]
        outside = [first.iter]
    return [(item, True) for item in inside] + [(item, False) for item in outside if item is not None]


def bind_target(scope, target, value):
    if type(target) is _ast.Name:
        target.seen = True
        scope.assign(target.id, value)
    elif type(target) in (_ast.Tuple, _ast.List) and type(value) in (_ast.Tuple, _ast.List) and len(target.elts) == len(value.elts):
        if not any(type(item) is _ast.Starred for item in target.elts + value.elts):
            for one, item in zip(target.elts, value.elts):
                bind_target(scope, one, item)


def bind_loop(scope, target, source):
    """The target of a loop over `range` or `enumerate` counts."""
    called = source.func.id if type(source) is _ast.Call and type(source.func) is _ast.Name and not source.keywords else None
    if called == "enumerate" and len(source.args) == 1 and type(target) is _ast.Tuple and len(target.elts) == 2:
        target = target.elts[0]
    elif called != "range":
        return
    if type(target) is _ast.Name:
        bind_target(scope, target, Count(source))


class Count:
    """In place of a value: what a loop over this counts."""

    def __init__(self, source):
        self.source = source


def settle(scope, shadowed):
    """Finds which names of a scope hold the properties: the largest sets that are true of all their assignments, and for
    smallness the least, as what grows by itself is not small."""
    names = {name for name, values in scope.assigned.items() if name and None not in values}
    scope.numbers = set(names)
    while True:
        kept = {name for name in scope.numbers if all(is_number(value, scope, shadowed) for value in scope.assigned[name])}
        if kept == scope.numbers:
            break
        scope.numbers = kept
    scope.natural = set(scope.numbers)
    while True:
        kept = {name for name in scope.natural if all(is_natural(value, scope, shadowed) for value in scope.assigned[name])}
        if kept == scope.natural:
            break
        scope.natural = kept
    while True:
        more = {name for name in scope.numbers if all(is_bounded(value, scope, shadowed) for value in scope.assigned[name])}
        if more <= scope.bounded:
            break
        scope.bounded = scope.bounded | more


def holds(node, scope, which):
    """Whether a name has a property where it is read."""
    while scope is not None:
        if scope.kind != "class" and node.id in scope.assigned:
            return node.id in getattr(scope, which)
        if scope.kind == "class" and node.id in scope.assigned:
            return False
        scope = scope.parent
    return False


def builtin_call(node, shadowed):
    """The name of the builtin that is called, if it is sure to be one."""
    if type(node) is _ast.Call and type(node.func) is _ast.Name and not node.keywords and node.func.id not in shadowed:
        if not any(type(arg) is _ast.Starred for arg in node.args):
            return node.func.id
    return None


def constant(node):
    return node.value if type(node) is _ast.Constant and type(node.value) in (int, bool, float) else None


def is_number(node, scope, shadowed):
    """An int, a bool or a float of exactly that type."""
    kind = type(node)
    if kind is Count:
        return builtin_call(node.source, shadowed) is not None
    if kind is _ast.Constant:
        return constant(node) is not None
    if kind is _ast.Name:
        return holds(node, scope, "numbers")
    if kind is _ast.BinOp:
        if type(node.op) is _ast.Pow:
            power = constant(node.right)
            return type(power) is int and power >= 0 and is_number(node.left, scope, shadowed)
        return type(node.op) in NUMERIC and is_number(node.left, scope, shadowed) and is_number(node.right, scope, shadowed)
    if kind is _ast.UnaryOp:
        return type(node.op) is _ast.Not or is_number(node.operand, scope, shadowed)
    if kind is _ast.IfExp:
        return is_number(node.body, scope, shadowed) and is_number(node.orelse, scope, shadowed)
    called = builtin_call(node, shadowed)
    if called in CONVERSIONS:
        return True
    if called == "abs" or called in ("min", "max") and len(node.args) > 1:
        return all(is_number(arg, scope, shadowed) for arg in node.args)
    return False


def is_natural(node, scope, shadowed):
    """A number that is not negative. (A NaN is neither, and fails every comparison.)"""
    kind = type(node)
    if kind is Count:
        args = node.source.args
        if builtin_call(node.source, shadowed) == "enumerate" or len(args) == 1:
            return True
        step = constant(args[2]) if len(args) > 2 else 1
        return type(step) is int and step > 0 and is_natural(args[0], scope, shadowed)
    if kind is _ast.Constant:
        value = constant(node)
        return value is not None and value >= 0
    if kind is _ast.Name:
        return holds(node, scope, "natural")
    if kind is _ast.BinOp:
        left, right = (is_natural(side, scope, shadowed) for side in (node.left, node.right))
        op = type(node.op)
        if op is _ast.Mod or op is _ast.BitAnd and right:
            return right
        if op is _ast.BitAnd:
            return left
        return op is not _ast.Sub and left and right
    if kind is _ast.IfExp:
        return is_natural(node.body, scope, shadowed) and is_natural(node.orelse, scope, shadowed)
    called = builtin_call(node, shadowed)
    if called in ("min", "max"):
        return all(is_natural(arg, scope, shadowed) for arg in node.args)
    return called in ("abs", "bool", *MEASURES)


def is_bounded(node, scope, shadowed):
    """A number that cannot have grown: it is made in a few steps of small ones, a length, a remainder or the count of a
    loop, which is as small as the loop is short."""
    kind = type(node)
    if kind is Count:
        return True
    if kind is _ast.Constant:
        value = constant(node)
        return value is not None and -LITTLE < value < LITTLE
    if kind is _ast.Name:
        return holds(node, scope, "bounded")
    if kind is _ast.BinOp:
        op, right = type(node.op), constant(node.right)
        if op is _ast.Mod and is_bounded(node.right, scope, shadowed) or op is _ast.BitAnd and type(right) is int and 0 < right < LITTLE:
            return is_number(node.left, scope, shadowed)
        if op in (_ast.Add, _ast.Sub, _ast.Mult, _ast.FloorDiv, _ast.Mod, _ast.RShift):
            return is_bounded(node.left, scope, shadowed) and is_bounded(node.right, scope, shadowed)
        return False
    if kind is _ast.UnaryOp:
        return is_bounded(node.operand, scope, shadowed)
    if kind is _ast.IfExp:
        return is_bounded(node.body, scope, shadowed) and is_bounded(node.orelse, scope, shadowed)
    called = builtin_call(node, shadowed)
    if called == "int" and len(node.args) == 1:
        # Text has a limited number of digits.
        text = node.args[0]
        place = text.value if type(text) is _ast.Subscript else None
        return builtin_call(text, shadowed) == "input" or type(place) is _ast.Attribute and place.attr in ("environ", "argv")
    return called in ("bool", "hash", "id", *MEASURES)
