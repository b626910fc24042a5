"""What `antifreeze.smolagents` puts into a session: how values travel, how tools are called, and how a final answer ends a step.

Runs in the session's own interpreter and imports nothing but the standard library. The form in which values travel is that of
smolagents' `SafeSerializer`: JSON with type markers, after the word `safe:`. What comes from the host may be pickled as well; what goes
to the host never is.
"""

import base64
import json
import linecache
import sys

# Values up to so much text travel; larger ones stay in the session.
LARGEST = 400_000


class FinalAnswer(BaseException):
    """Ends a step: the answer was given."""


class CannotTravel(Exception):
    """A value that has no safe form."""


_answers = []


def _plain(value, depth=0):
    kind = type(value)
    if value is None or kind in (str, int, bool):
        return value
    if kind is float:
        if value != value or value in (float("inf"), float("-inf")):
            raise CannotTravel(f"{value!r} is no JSON")
        return value
    if depth > 60:
        raise CannotTravel("it is nested too deeply")
    inner = depth + 1
    if kind is list:
        return [_plain(item, inner) for item in value]
    if kind is dict:
        if all(type(key) is str for key in value) and "__type__" not in value:
            return {key: _plain(item, inner) for key, item in value.items()}
        return {"__type__": "dict_with_complex_keys", "data": [[_plain(k, inner), _plain(v, inner)] for k, v in value.items()]}
    if kind in (tuple, set, frozenset):
        return {"__type__": kind.__name__, "data": [_plain(item, inner) for item in value]}
    if kind is bytes:
        return {"__type__": "bytes", "data": base64.b64encode(value).decode()}
    if kind is complex:
        return {"__type__": "complex", "real": value.real, "imag": value.imag}
    return _typed(value, kind, inner)


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
        if kind is numpy.ndarray and value.dtype.kind in "biufUS" and value.size <= LARGEST:
            return {"__type__": "ndarray", "data": value.tolist(), "dtype": str(value.dtype)}
        if isinstance(value, (numpy.integer, numpy.floating, numpy.bool_)):
            return _plain(value.item(), depth)
    import dataclasses

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _plain(getattr(value, field.name), depth) for field in dataclasses.fields(value)}
        return {"__type__": "dataclass", "class_name": name, "module": module, "data": fields}
    raise CannotTravel(f"a {name} has no safe form")


def dump(value):
    """The value's text for the host."""
    return "safe:" + json.dumps(_plain(value))


def load(text):
    """The value of a text from the host."""
    if text.startswith("pickle:"):
        import pickle

        return pickle.loads(base64.b64decode(text[7:]))
    return _value(json.loads(text[5:]))


def _value(data):
    if type(data) is list:
        return [_value(item) for item in data]
    if type(data) is not dict:
        return data
    kind = data.get("__type__")
    if kind is None:
        return {key: _value(item) for key, item in data.items()}
    if kind in ("tuple", "set", "frozenset"):
        return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](_value(item) for item in data["data"])
    if kind == "dict_with_complex_keys":
        return {_value(key): _value(item) for key, item in data["data"]}
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
        return {"__dataclass__": data["class_name"], "__module__": data["module"], **{k: _value(v) for k, v in data["data"].items()}}
    return {key: _value(item) for key, item in data.items()}


def describe(value):
    """What the host is told of a value: its text, or what it looks like where it has to stay."""
    try:
        text = dump(value)
        if len(text) <= LARGEST:
            return {"value": text}
        why = f"it takes {len(text)} characters"
    except Exception as error:
        why = str(error) or type(error).__name__
    try:
        shown = repr(value)
    except Exception as error:
        shown = f"<{type(value).__name__}: repr raised {type(error).__name__}>"
    if len(shown) > 20_000:
        shown = f"{shown[:20_000]}… ({len(shown)} characters in all)"
    kept = {"repr": shown, "type": f"{type(value).__module__}.{type(value).__qualname__}", "why": why}
    if callable(value):
        kept["name"] = getattr(value, "__name__", None)
        kept["source"] = _source(value)
    return kept


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


def answer():
    """The answer that was given since the last time this was asked, or None."""
    given = _answers[-1] if _answers else None
    _answers.clear()
    return given


def make_tool(name, call, final):
    """The function that calls a tool of the host's."""

    def tool(*args, **kwargs):
        try:
            packed = dump([list(args), kwargs])
        except CannotTravel as error:
            given = [*args, *kwargs.values()]
            if final and len(given) == 1:
                # What cannot go to the host's tool is the answer as it is.
                _answers.append(describe(given[0]))
                raise FinalAnswer from None
            raise TypeError(f"an argument of {name} cannot be sent to the host: {error}") from None
        value = load(call(name, packed))
        if final:
            _answers.append(describe(value))
            raise FinalAnswer
        return value

    tool.__name__ = tool.__qualname__ = name
    return tool
