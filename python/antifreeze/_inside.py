"""What `antifreeze.smolagents` puts into a session: how values travel, how tools are called, and how a final answer ends a step.

Runs in the session's own interpreter, and where values are concerned in the host's too, and imports nothing but the standard library. The
form in which values travel is that of smolagents' `SafeSerializer`, with more types: JSON with type markers, after the word `safe:`. What
comes from the host may be pickled as well; what goes to the host never is.
"""

import base64
import builtins
import collections
import itertools
import json
import linecache
import sys
import threading
from typing import Any

# So much text of a value goes with a step's report. More goes ahead of it in parts: so much where the value is but a step's last, and
# so much where it was asked for.
LARGEST = 400_000
LARGE = 2 << 20
ALL = 256 << 20
PART = 4 << 20


class FinalAnswer(BaseException):
    """Ends a step: the answer was given."""


class CannotTravel(Exception):
    """A value that has no safe form."""


class InterpreterError(ValueError):
    """What smolagents refuses, at the time when the code does it."""


class HostValue:
    """A value of the host's that has to stay there. Tools can be given it, and get the value itself; it has those attributes that could
    travel, and is called and iterated over in the host."""

    def __init__(self, data):
        self.__dict__.update(data["attributes"])
        self.__dict__["_antifreeze"] = data

    def __repr__(self):
        return self._antifreeze["repr"]

    def __getattr__(self, name):
        kind = self.__dict__.get("_antifreeze", {}).get("name")
        raise AttributeError(f"{name!r} of this {kind} cannot be had here: it stays in the host, for tools")

    def __call__(self, *args, **kwargs):
        return self._ask("call", "callable", args, kwargs)

    def __getitem__(self, key):
        return self._ask("getitem", "subscriptable", (key,))

    def __len__(self):
        return self._ask("len", "sized")

    def __bool__(self):
        return "len" not in self._antifreeze["can"] or len(self) > 0

    def __iter__(self):
        if "next" not in self._antifreeze["can"]:
            yield from self._ask("iter", "iterable")
            return
        while got := self._ask("next", "iterable"):
            yield got[0]

    def _ask(self, how, what, args=(), kwargs=None):
        data = self._antifreeze
        if how not in data["can"]:
            raise TypeError(f"'{data['name']}' object is not {what} here: it stays in the host, for tools")
        return _called(f"{how}:{data['id']}", dump([list(args), kwargs or {}]))


class _Ways(threading.local):
    """What becomes of a value that has no safe form, and what a text means that says so."""

    def __init__(self):
        self.out, self.back, self.left, self.decays = _refuse, HostValue, ALL, True


def _refuse(value):
    raise CannotTravel(f"a {type(value).__name__} has no safe form")


_ways = _Ways()
_answers = []
# Containers that are made from a list of their items.
KINDS = {"tuple": tuple, "set": set, "frozenset": frozenset, "deque": collections.deque}
# Dicts of their own kind, made from a dict.
DICTS = {"OrderedDict": collections.OrderedDict, "Counter": collections.Counter}


def _count(parts):
    """Takes note of so many more parts of a value, before anything is made of them."""
    _ways.left -= parts
    if _ways.left < 0:
        raise CannotTravel("it is too large")


def _plain(value, depth=0):
    _count(1)
    kind = type(value)
    if value is None or kind in (str, int, bool, float):
        return value
    if depth > 60:
        raise CannotTravel("it is nested too deeply")
    inner = depth + 1
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        _count(len(value))
        _ways.left += len(value)
    if kind is list:
        return [_plain(item, inner) for item in value]
    if kind is dict:
        if all(type(key) is str for key in value) and "__type__" not in value:
            return {key: _plain(item, inner) for key, item in value.items()}
        return {"__type__": "dict_with_complex_keys", "data": _pairs(value, inner)}
    if kind in KINDS.values():
        return {"__type__": kind.__name__, "data": [_plain(item, inner) for item in value]}
    if kind in DICTS.values():
        return {"__type__": kind.__name__, "data": _pairs(value, inner)}
    if kind is collections.defaultdict and (value.default_factory is None or _is_builtin(value.default_factory)):
        factory = None if value.default_factory is None else value.default_factory.__name__
        return {"__type__": "defaultdict", "factory": factory, "data": _pairs(value, inner)}
    if isinstance(value, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
        return {
            "__type__": "namedtuple",
            "name": kind.__name__,
            "fields": list(kind._fields),
            "data": [_plain(item, inner) for item in value],
        }
    if kind is type and _is_builtin(value):
        return {"__type__": "builtin", "name": value.__name__}
    if kind is bytes:
        return {"__type__": "bytes", "data": base64.b64encode(value).decode()}
    if kind is complex:
        return {"__type__": "complex", "real": value.real, "imag": value.imag}
    if kind is HostValue:
        return {"__type__": "host", "id": value._antifreeze["id"]}
    found = _typed(value, kind, inner)
    if found is None and _ways.decays:
        found = _decayed(value, depth)
    return _ways.out(value) if found is None else found


# Classes whose derived classes' values may go as their own.
BASES = (str, int, float, bytes, list, tuple, dict, set, frozenset)


def _decayed(value, depth):
    """The value as one of the class that its own derives from; members of enumerations are more than that."""
    import enum

    base = next((base for base in BASES if isinstance(value, base)), None)
    if base is None or isinstance(value, enum.Enum):
        return None
    return _plain(str.__str__(value) if base is str else base(value), depth)


def _pairs(value, depth):
    return [[_plain(key, depth), _plain(item, depth)] for key, item in value.items()]


def _is_builtin(kind):
    return isinstance(kind, type) and getattr(builtins, kind.__name__, None) is kind


def _typed(value, kind, depth):
    module = getattr(kind, "__module__", "") or ""
    name = kind.__name__
    if module == "datetime":
        if name in ("datetime", "date", "time"):
            return {"__type__": name, "data": value.isoformat()}
        if name == "timedelta":
            return {"__type__": name, "total_seconds": value.total_seconds()}
    if module == "decimal" and name == "Decimal":
        return {"__type__": name, "data": str(value)}
    if module.startswith("pathlib") and "Path" in name:
        return {"__type__": "Path", "data": str(value)}
    image = getattr(sys.modules.get("PIL.Image"), "Image", None)
    if image is not None and isinstance(value, image):
        import io

        buffer = io.BytesIO()
        value.save(buffer, format="PNG")
        return {"__type__": "PIL.Image", "data": base64.b64encode(buffer.getvalue()).decode()}
    numpy = sys.modules.get("numpy")
    if numpy is not None and module.split(".")[0] == "numpy":
        if kind is numpy.ndarray and value.dtype.kind in "biufUS":
            _count(value.size)
            return {"__type__": "ndarray", "data": value.tolist(), "dtype": str(value.dtype)}
        if isinstance(value, (numpy.integer, numpy.floating, numpy.bool_, numpy.str_)):
            return _plain(value.item(), depth)
    pandas = sys.modules.get("pandas")
    if pandas is not None and module.split(".")[0] == "pandas":
        return _table(value, kind, pandas, depth)
    import dataclasses

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _plain(getattr(value, field.name), depth) for field in dataclasses.fields(value)}
        return {"__type__": "dataclass", "class_name": name, "module": module, "data": fields}
    return None


def _table(value, kind, pandas, depth):
    """What pandas knows: as its columns, each with the type that it has again on the other side."""
    if kind is pandas.DataFrame:
        _count(value.size)
        columns = [_column(value.iloc[:, at], depth) for at in range(value.shape[1])]
        return {"__type__": "DataFrame", "index": _index(value.index, depth), "names": _index(value.columns, depth), "data": columns}
    if kind is pandas.Series:
        return {"__type__": "Series", "index": _index(value.index, depth), "name": _plain(value.name, depth), **_column(value, depth)}
    if isinstance(value, pandas.Index):
        return {"__type__": "Index", **_index(value, depth)}
    if kind is pandas.Timestamp:
        return {"__type__": "Timestamp", "data": value.isoformat()}
    if kind is pandas.Timedelta:
        return {"__type__": "Timedelta", "data": value.isoformat()}
    if value is pandas.NaT or value is pandas.NA:
        return {"__type__": "NaT" if value is pandas.NaT else "NA"}
    return None


def _column(values, depth):
    dtype = str(values.dtype)
    if dtype == "category":
        raise CannotTravel("categories have no safe form")
    return {"dtype": dtype, "data": [_plain(item, depth) for item in values.tolist()]}


def _index(index, depth):
    pandas = sys.modules["pandas"]
    if isinstance(index, pandas.RangeIndex):
        return {"range": [index.start, index.stop, index.step], "name": _plain(index.name, depth)}
    if isinstance(index, pandas.MultiIndex):
        return {"rows": [_plain(row, depth) for row in index.tolist()], "name": _plain(list(index.names), depth)}
    return {**_column(index, depth), "name": _plain(index.name, depth)}


def dump(value: object, out: Any = _refuse, most: int = ALL, decays: bool = True) -> str:
    """The value's text for the other side. `out` gives what is to be said of a value that has no safe form; with `decays`, one of a
    class that derives from `str`, `list` and the like goes as one of these."""
    _ways.out, before = out, _ways.out
    _ways.decays = decays
    # What takes more text than that is not turned into text.
    _ways.left = most // 2
    try:
        text = "safe:" + json.dumps(_plain(value))
    finally:
        _ways.out = before
    if len(text) > most:
        raise CannotTravel(f"it takes {len(text)} characters")
    return text


def load(text):
    """The value of a text from the host."""
    if text.startswith("pickle:"):
        import pickle

        data = base64.b64decode(text[7:])
        try:
            return pickle.loads(data)
        except ImportError:
            # The host may find modules where the session does not look for them.
            own = sys.path[:]
            sys.path += [place for place in _host_path if place not in own]
            try:
                return pickle.loads(data)
            finally:
                sys.path[:] = own
    return load_plain(text)


def load_plain(text: str, back: Any = HostValue) -> Any:
    """The value of a text from either side, which makes nothing but what is named here. `back` gives a value of the host's."""
    _ways.back, before = back, _ways.back
    try:
        return _value(json.loads(text[5:]))
    finally:
        _ways.back = before


def _value(data):
    if type(data) is list:
        return [_value(item) for item in data]
    if type(data) is not dict:
        return data
    kind = data.get("__type__")
    if kind is None:
        return {key: _value(item) for key, item in data.items()}
    if kind in KINDS:
        return KINDS[kind](_value(item) for item in data["data"])
    if kind in DICTS or kind in ("dict_with_complex_keys", "defaultdict"):
        items = {_value(key): _value(item) for key, item in data["data"]}
        if kind == "defaultdict":
            return collections.defaultdict(data["factory"] and _builtin(data["factory"]), items)
        return DICTS[kind](items) if kind in DICTS else items
    if kind == "namedtuple":
        return collections.namedtuple(data["name"], data["fields"], rename=True)(*(_value(item) for item in data["data"]))
    if kind == "host":
        return _ways.back(data if "attributes" not in data else {**data, "attributes": _value(data["attributes"])})
    if kind == "builtin":
        return _builtin(data["name"])
    if kind == "bytes":
        return base64.b64decode(data["data"])
    if kind == "complex":
        return complex(data["real"], data["imag"])
    if kind in ("datetime", "date", "time"):
        import datetime

        return getattr(datetime, kind).fromisoformat(data["data"])
    if kind == "timedelta":
        import datetime

        return datetime.timedelta(seconds=data["total_seconds"])
    if kind == "Decimal":
        import decimal

        return decimal.Decimal(data["data"])
    if kind == "Path":
        import pathlib

        return pathlib.Path(data["data"])
    if kind == "PIL.Image":
        import io

        import PIL.Image

        return PIL.Image.open(io.BytesIO(base64.b64decode(data["data"])))
    if kind == "ndarray":
        import numpy

        return numpy.array(data["data"], dtype=data["dtype"])
    if kind == "dataclass":
        return _record(data["class_name"], {name: _value(item) for name, item in data["data"].items()})
    if kind in ("DataFrame", "Series", "Index", "Timestamp", "Timedelta", "NaT", "NA"):
        return _pandas(kind, data)
    return {key: _value(item) for key, item in data.items()}


def _builtin(name):
    kind = getattr(builtins, name, None)
    if not isinstance(kind, type):
        raise ValueError(f"{name} is no class of Python's")
    return kind


def _record(name, fields):
    """A dataclass of the same name with the same fields. The class itself stays where it is."""
    import dataclasses

    return dataclasses.make_dataclass(name, list(fields))(**fields)


def _pandas(kind, data):
    import pandas

    if kind in ("NaT", "NA"):
        return getattr(pandas, kind)
    if kind in ("Timestamp", "Timedelta"):
        return getattr(pandas, kind)(data["data"])
    if kind == "Index":
        return _index_of(data, pandas)
    index = _index_of(data["index"], pandas)
    if kind == "Series":
        return pandas.Series([_value(item) for item in data["data"]], index=index, dtype=data["dtype"], name=_value(data["name"]))
    columns = dict(
        enumerate(pandas.Series([_value(item) for item in one["data"]], index=index, dtype=one["dtype"]) for one in data["data"])
    )
    frame = pandas.DataFrame(columns, index=index)
    frame.columns = _index_of(data["names"], pandas)
    return frame


def _index_of(data, pandas):
    name = _value(data["name"])
    if "range" in data:
        return pandas.RangeIndex(*data["range"], name=name)
    if "rows" in data:
        return pandas.MultiIndex.from_tuples([_value(row) for row in data["rows"]], names=name)
    return pandas.Index([_value(item) for item in data["data"]], dtype=data["dtype"], name=name)


def describe(value, most=LARGE, depth=2):
    """What the host is told of a value: its text, or what it looks like where it has to stay."""
    try:
        text = dump(value, most=most)
        return {"value": text} if len(text) <= LARGEST else {"parts": _in_parts(text)}
    except Exception as error:
        why = str(error) or type(error).__name__
    kept = {"repr": _shown(value, repr), "type": f"{type(value).__module__}.{type(value).__qualname__}", "why": why}
    if type(value).__str__ is not object.__str__:
        kept["str"] = _shown(value, str)
    if isinstance(getattr(value, "__doc__", None), str):
        kept["doc"] = value.__doc__[:20_000]
    if callable(value):
        kept["name"] = getattr(value, "__name__", None)
        kept["source"] = _source(value)
    elif depth and type(getattr(value, "__dict__", None)) is dict and type(value) is not type(sys):
        kept["attributes"] = _attributes(vars(value), depth - 1)
    return kept


_parts = 0


def _in_parts(text):
    global _parts
    _parts += 1
    for at in range(0, len(text), PART):
        _call(f"part:{_parts}", text[at : at + PART])
    return _parts


def _shown(value, how):
    if type(value) in (list, tuple, set, frozenset, dict) and len(value) > 20_000:
        items = [*itertools.islice(value.items() if type(value) is dict else value, 5_000)]
        text = repr(dict(items) if type(value) is dict else type(value)(items))
        return f"{text[:20_000]}… ({len(value)} items in all)"
    try:
        text = how(value)
    except Exception as error:
        return f"<{type(value).__name__}: {how.__name__} raised {type(error).__name__}>"
    return text if len(text) <= 20_000 else f"{text[:20_000]}… ({len(text)} characters in all)"


def _attributes(fields, depth):
    told, left = {}, LARGEST // 4
    for name, item in [*fields.items()][:100]:
        if type(name) is str and name.isidentifier() and not name.startswith("__"):
            one = describe(item, LARGEST // 4, depth)
            left -= len(json.dumps(one))
            if left > 0:
                told[name] = one
    return told


def _source(value):
    code = getattr(value, "__code__", None)
    try:
        lines = linecache.getlines(code.co_filename)
        import inspect

        return "".join(inspect.getblock(lines[code.co_firstlineno - 1 :])) or None if lines else None
    except Exception:
        return None


def finish(value=None):
    """The report on a step that came to its end: its last value, and an answer that was given on the way."""
    return {"last": describe(value), "answer": answer()}


def settle(*candidates):
    """`finish` with the first of the last statement's values that there is, each given as the text that reads it."""
    last, space = None, _space()
    for candidate in candidates:
        try:
            last = eval(candidate, space)
        except Exception:
            continue
        if last is not None:
            break
    for name in [name for name in space if name.startswith("_antifreeze_last_")]:
        del space[name]
    return finish(last)


def answer():
    """The answer that was given since the last time this was asked, or None."""
    given = _answers[-1] if _answers else None
    _answers.clear()
    return given


# --- the session's names -------------------------------------------------------------------------------------------------------

# What the set-up defines, and values that are on their way.
_given = {}
_host_path = []
_arriving = {}


def _space():
    return sys.modules["__main__"].__dict__


def set_up(names, path):
    """Takes note of what the code can call: those are no variables of its own."""
    space = _space()
    for name in set(_given) - set(names):
        if space.get(name) is _given[name]:
            del space[name]
    _given.clear()
    _given.update({name: space[name] for name in names})
    _host_path[:] = path


def arrive(name):
    """A variable from the host, which has put its text into `_antifreeze_arriving`."""
    try:
        return load(_space()["_antifreeze_arriving"].pop(name))
    except Exception as error:
        raise TypeError(f"{name} cannot be had in the session: {type(error).__name__}: {error}") from None


def names():
    """The names of the code's variables."""
    return [
        name
        for name, value in _space().items()
        if not name.startswith(("_antifreeze", "__")) and not (name in _given and _given[name] is value)
    ]


def fetch(name):
    """What the host is told of a variable."""
    space = _space()
    if name not in space:
        raise NameError(name)
    return describe(space[name], ALL)


def values():
    """What the host is told of all variables at once; of the larger ones, that they are there."""
    told, left = {}, LARGEST // 2
    for name in names():
        one = describe(_space()[name], LARGEST // 8)
        left -= len(json.dumps(one)) + 50
        told[name] = one if left > 0 and "why" not in one else None
    return told


# --- what the code may not do, and why it failed ----------------------------------------------------------------------------------


def make_getattr(imports, forbidden):
    """A `getattr` that refuses what smolagents refuses, also where it is called by others."""
    real, missing, module = getattr, object(), type(sys)

    def getattr_(owner, name, default=missing, /):
        if name in forbidden:
            raise InterpreterError(f"Forbidden access to dunder attribute: {name}")
        value = real(owner, name) if default is missing else real(owner, name, default)
        if type(value) is module and not _is_authorized(value.__name__, imports):
            raise InterpreterError(f"Forbidden access to module: {value.__name__}")
        return value

    getattr_.__name__ = getattr_.__qualname__ = "getattr"
    return getattr_


def _is_authorized(module, imports):
    return any(
        module == one or one.startswith(module + ".") or one.endswith(".*") and (module + ".").startswith(one[:-1]) for one in imports
    )


def explain():
    """What is to be said of the error that ended the last step, besides its own message: where in its line it is, a key or index that is
    not there and the keys that look like it, or names that look like the one that is not there."""
    told = {}
    for part in (_place, _explained):
        try:
            told.update(part(sys.last_value) or {})
        except Exception:
            continue
    return told


def _place(error):
    trace = error.__traceback__
    while trace.tb_frame.f_code.co_name != "<module>" or not trace.tb_frame.f_code.co_filename.startswith("<"):
        trace = trace.tb_next
    return {"column": [*trace.tb_frame.f_code.co_positions()][trace.tb_lasti // 2][2]}


def _explained(error):
    import difflib

    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    frame = trace.tb_frame
    if isinstance(error, NameError):
        name = str(error).split("'")[1]
        known = [one for one in [*frame.f_locals, *_space()] if not one.startswith(("_antifreeze", "__"))]
        return {"close": difflib.get_close_matches(name, [*dict.fromkeys(known)])}
    tree = _statement(frame.f_code.co_filename, trace.tb_lineno)
    import ast

    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        try:
            owner, key = _known(node.value, frame), _known(node.slice, frame)
        except LookupError:
            continue
        if type(error) is TypeError and f"'{type(owner).__name__}' object is not subscriptable" in str(error):
            return {"index": f"Could not index {_short(owner)} with '{_short(key)}'", "close": []}
        if type(owner) not in INDEXED or type(key) not in (str, int, float, bool, tuple, slice, type(None)):
            continue
        try:
            owner[key]
        except type(error):
            close = (
                difflib.get_close_matches(key, [one for one in owner if type(one) is str])
                if type(owner) is not list and type(key) is str
                else []
            )
            return {"index": f"Could not index {_short(owner)} with '{_short(key)}'", "close": close}
        except Exception:
            continue
    return None


# To look into these runs nothing of the code's.
INDEXED = (dict, list, tuple, str, collections.OrderedDict)


def _statement(file, line):
    """The innermost statement of the code's own at a line."""
    import ast

    if not file.startswith("<"):
        return ast.Module([], [])
    tree = ast.parse("".join(linecache.getlines(file)))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)]
    return min(found, key=lambda node: ((node.end_lineno or node.lineno) - node.lineno, -node.col_offset))


def _known(node, frame):
    """An expression's value, as far as nothing has to be run for it."""
    import ast

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.f_locals[node.id] if node.id in frame.f_locals else frame.f_globals[node.id]
    if isinstance(node, ast.Tuple):
        return tuple(_known(one, frame) for one in node.elts)
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {_known(key, frame): _known(value, frame) for key, value in zip(node.keys, node.values)}
    if isinstance(node, ast.List):
        return [_known(one, frame) for one in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value
    if isinstance(node, ast.Subscript):
        owner = _known(node.value, frame)
        if type(owner) in INDEXED:
            return owner[_known(node.slice, frame)]
    raise LookupError


def _short(value):
    text = str(value)
    return text if len(text) <= 500 else f"{text[:500]}…"


# --- tools -------------------------------------------------------------------------------------------------------------------------


_call = None


def set_host(call):
    """Says how the host is called."""
    global _call
    _call = call


def _called(name, packed):
    """What a tool gave, or raised."""
    text = _call(name, packed if len(packed) <= PART else f"parts:{_in_parts(packed)}")
    if text.startswith("raise:"):
        raise _exception(json.loads(text[6:]))
    return load(text)


def _exception(told):
    """The exception that a tool raised, of its own class where there is such a class here."""
    if told["pickled"]:
        try:
            return load(told["pickled"])
        except Exception:
            pass
    base = _builtin(told["base"])
    kind = base if told["name"] == told["base"] else type(told["name"], (base,), {"__str__": lambda self: told["message"]})
    try:
        return kind(*load_plain(told["args"]))
    except Exception:
        return RuntimeError(f"{told['name']}: {told['message']}")


def make_tool(name, final):
    """The function that calls a tool of the host's."""

    def tool(*args, **kwargs):
        try:
            packed = dump([list(args), kwargs])
        except CannotTravel as error:
            given = [*args, *kwargs.values()]
            if final and len(given) == 1:
                # What cannot go to the host's tool is the answer as it is.
                _answers.append(describe(given[0], ALL))
                raise FinalAnswer from None
            raise TypeError(f"an argument of {name} cannot be sent to the host: {error}") from None
        value = _called(name, packed)
        if final:
            _answers.append(describe(value, ALL))
            raise FinalAnswer
        return value

    tool.__name__ = tool.__qualname__ = name
    return tool
