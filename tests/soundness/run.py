"""Runs programs under this Python, each in a process of its own, and tells what became of their globals.

A request is one line of JSON: {"code", "seeds", "seconds", "record", "cwd", "library"}. Each seed is one run with another reality
(random numbers, environment). The answer is one line: a list of {"outcome": "finished" | "raised" | "timeout" | "crashed",
"seconds", "globals", "error", "lines", "bits"}. Values are typed JSON: {"t": kind, ...}; numbers are strings, so nothing is rounded.
"""
import ast, collections, json, os, resource, select, signal, sys, time, traceback, types

DEPTH, NODES, TEXT = 8, 20_000, 1 << 15
DATA = (int, float, str, bytes, complex, list, tuple, dict, set, frozenset, collections.deque)


class Dumper:
    """Writes values down, to a depth and a number of nodes."""

    def __init__(self, module):
        self.left, self.module = NODES, module

    def all(self, values, depth):
        return [self.value(v, depth + 1) for v in values]

    def value(self, v, depth=0):
        self.left -= 1
        if depth > DEPTH or self.left < 0:
            return {"t": "deep"}
        kind = type(v)
        if kind in (type(None), type(...), type(NotImplemented)):
            return {"t": {"NoneType": "none"}.get(kind.__name__, "other"), "type": kind.__name__}
        if kind is bool:
            return {"t": "bool", "v": v}
        if kind is int:
            bits = v.bit_length()
            return {"t": "int", "v": str(v) if bits < 2_000 else None, "bits": bits, "negative": v < 0}
        if kind is float:
            return {"t": "float", "v": repr(v)}
        if kind is complex:
            return {"t": "complex"}
        if kind is str:
            plain = len(v) <= TEXT and not any("\ud800" <= c <= "\udfff" for c in v)
            return {"t": "str", "v": v if plain else None, "n": len(v)}
        if kind is bytes or kind is bytearray:
            return {"t": kind.__name__, "v": list(v) if len(v) <= TEXT else None, "n": len(v)}
        if kind in (list, tuple, collections.deque):
            return {"t": kind.__name__, "items": self.all(v, depth)}
        if kind in (set, frozenset):
            return {"t": kind.__name__, "items": self.all(v, depth)}
        if kind in (dict, collections.defaultdict, collections.Counter, collections.OrderedDict):
            return {"t": "dict", "entries": [self.all(e, depth) for e in dict.items(v)]}
        if kind is range:
            return {"t": "range", "parts": self.all([v.start, v.stop, v.step], depth)}
        if kind is types.ModuleType:
            return {"t": "module", "name": v.__name__}
        if isinstance(v, type):
            return {"t": "class", "name": v.__name__, "own": v.__module__ == self.module}
        if kind is types.FunctionType:
            return {"t": "function", "name": v.__name__, "own": v.__module__ == self.module}
        if kind is types.BuiltinFunctionType:
            return {"t": "builtin", "name": v.__name__}
        mro = [c.__name__ for c in kind.__mro__]
        if kind.__module__ == self.module:
            attrs = dict(getattr(v, "__dict__", None) or {})
            for c in kind.__mro__:
                slots = c.__dict__.get("__slots__", ())
                for name in (slots,) if isinstance(slots, str) else slots:
                    try:
                        attrs[name] = object.__getattribute__(v, name)
                    except AttributeError:
                        pass
            return {"t": "instance", "class": kind.__name__, "mro": mro, "attrs": {str(k): self.value(x, depth + 1) for k, x in attrs.items()}}
        return {"t": "exception" if isinstance(v, BaseException) else "other", "type": kind.__name__, "class": kind.__name__, "mro": mro}


class Recorder(ast.NodeTransformer):
    """Wraps every power, shift and product, and keeps the most bits each gave."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, (ast.Pow, ast.LShift, ast.Mult)):
            return node
        place = [node.lineno, node.col_offset, node.end_lineno, node.end_col_offset]
        name = ast.Name("__antifreeze_record__", ast.Load())
        call = ast.Call(name, [ast.Constant(",".join(map(str, place))), node], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def child(request, seed, out):
    """One run, in a process of its own; writes the answer to the descriptor."""
    os.environ["ANTIFREEZE_SEED"] = "x" * (seed % 7)
    if seed % 2:
        os.environ["ANTIFREEZE_FLAG"] = "1"
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    if request.get("cwd"):
        os.chdir(request["cwd"])
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    name = "__main__"
    module = types.ModuleType(name)
    sys.modules[name] = module
    space, bits = module.__dict__, {}
    answer, before = {"outcome": "finished"}, set(space) | {"__builtins__", "__annotations__", "__antifreeze_record__"}
    before |= {"__conditional_annotations__"}

    def record(place, value):
        if type(value) is int:
            bits[place] = max(bits.get(place, 0), value.bit_length())
        return value

    try:
        if request.get("record"):
            space["__antifreeze_record__"] = record
            code = compile(Recorder().visit(ast.parse(request["code"])), "<snippet>", "exec")
        else:
            code = compile(request["code"], "<snippet>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        code, answer = None, {"outcome": "raised", "error": repr(error)[:200], "lines": []}
    import random

    random.seed(seed)
    start = time.perf_counter()
    if code is not None:
        try:
            exec(code, space)
        except BaseException as error:
            lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == "<snippet>"]
            answer = {"outcome": "raised", "error": repr(error)[:200], "lines": lines}
    answer["seconds"] = time.perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.setrecursionlimit(5000)
    dumper = Dumper(name)
    answer["globals"] = {k: dumper.value(v) for k, v in space.items() if k not in before} if answer["outcome"] == "finished" else {}
    answer["bits"] = bits
    text = json.dumps(answer).encode()
    while text:
        text = text[os.write(out, text):]
    os._exit(0)


def run(request, seed):
    """Runs the request once and waits for it, at most as long as it says."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            os.close(read)
            child(request, seed, write)
        finally:
            os._exit(1)
    os.close(write)
    parts, end = [], time.monotonic() + request["seconds"]
    answer = {"outcome": "timeout"}
    while True:
        ready, _, _ = select.select([read], [], [], max(0, end - time.monotonic()))
        if not ready:
            break
        part = os.read(read, 1 << 16)
        if not part:
            answer = {"outcome": "crashed"}
            break
        parts.append(part)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:
            pass
    os.waitpid(pid, 0)
    os.close(read)
    try:
        return json.loads(b"".join(parts))
    except ValueError:
        return answer


def main():
    sys.dont_write_bytecode = True
    import asyncio, math, random, re  # noqa: what programs import, loaded once before forking

    for line in sys.stdin:
        request = json.loads(line)
        sys.stdout.write(json.dumps([run(request, seed) for seed in request["seeds"]]) + "\n")
        sys.stdout.flush()


main()
