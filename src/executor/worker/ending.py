# What a program came to, as the report to the helper. Compiled only when needed: most of a start's time is compiling.
import sys

FILE = "<antifreeze>"
REPR_LIMIT = 1 << 16
NODE_LIMIT = 100_000


def result(value):
    """The report on a last expression's value."""
    return '{"kind":"ok","result":%s,"repr":%s}' % (to_json(value), quote(show(value)))


def quote(text):
    """A JSON string."""
    try:
        from _json import encode_basestring_ascii as encode
    except ImportError:
        from json.encoder import py_encode_basestring_ascii as encode
    return encode(text.encode("utf-8", "replace").decode("utf-8"))


class Inexact(Exception):
    """A value that JSON cannot say exactly, or not shortly."""


def to_json(value):
    """JSON that says exactly this value, or "null"."""
    left = [NODE_LIMIT]

    def convert(value, depth):
        left[0] -= 1
        if depth > 60 or left[0] < 0:
            raise Inexact
        kind = type(value)
        if value is None:
            return "null"
        if kind is bool:
            return "true" if value else "false"
        if kind is int and -(1 << 53) <= value <= 1 << 53:
            return repr(value)
        if kind is float and value - value == 0:
            return repr(value)
        if kind is str:
            left[0] -= len(value) >> 3
            if left[0] < 0 or not value.isascii() and value.encode("utf-8", "replace").decode("utf-8") != value:
                raise Inexact
            return quote(value)
        if kind is list:
            return "[%s]" % ",".join([convert(item, depth + 1) for item in value])
        if kind is dict and all(type(key) is str for key in value):
            return "{%s}" % ",".join([quote(key) + ":" + convert(item, depth + 1) for key, item in value.items()])
        raise Inexact

    try:
        return convert(value, 0)
    except Exception:
        return "null"


def show(value):
    """The value's repr, shortened, whatever its class does."""
    if type(value) is int and value.bit_length() > 14_000:
        return "<int of %d bits>" % value.bit_length()
    try:
        text = repr(value)
    except Exception as error:
        return "<%s: repr raised %s>" % (type(value).__name__, type(error).__name__)
    return text if len(text) <= REPR_LIMIT else "%s… (%d characters in all)" % (text[:REPR_LIMIT], len(text))


def leave(error, name):
    """`sys.exit`: the status and the report."""
    code = error.code
    if code is None:
        return 0, '{"kind":"ok","result":null,"repr":null}'
    if isinstance(code, int):
        status = code & 0xFF if -(1 << 31) <= code < 1 << 31 else 255
    else:
        status = 1
        try:
            sys.stdout.flush()
            print(code, file=sys.stderr)
        except Exception:
            pass
    if status == 0:
        return 0, '{"kind":"ok","result":null,"repr":null}'
    tb = strip(error.__traceback__)
    return status, '{"kind":"error","type":"SystemExit","message":%s,"line":%s,"traceback":null,"memory":false}' % (
        quote(show_text(code)), line_of(error, tb, name))


def show_text(value):
    try:
        return str(value)[:REPR_LIMIT]
    except Exception:
        return ""


def strip(tb):
    """A traceback without the frames of this file."""
    while tb is not None and tb.tb_frame.f_code.co_filename == FILE:
        tb = tb.tb_next
    return tb


def line_of(error, tb, name):
    """The innermost line of the program's own text, as JSON."""
    line = "null"
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == name:
            line = "%d" % tb.tb_lineno
        tb = tb.tb_next
    if line == "null" and isinstance(error, SyntaxError) and error.filename == name and type(error.lineno) is int:
        line = "%d" % error.lineno
    return line


def fail(error, request):
    """An exception left the program: prints it as CPython does and gives the status and the report."""
    name = request["file"]
    kind = type(error)
    tb = strip(error.__traceback__)
    error.__traceback__ = tb
    if name[0] == "<" and sys.version_info >= (3, 13):
        # Since 3.13 CPython shows the source lines of `-c` and of standard input.
        remember_lines(request)
    status = 130 if isinstance(error, KeyboardInterrupt) else 1
    try:
        sys.last_type, sys.last_value, sys.last_traceback = kind, error, tb
        if sys.version_info >= (3, 12):
            sys.last_exc = error
        sys.stdout.flush()
    except Exception:
        pass
    try:
        sys.excepthook(kind, error, tb)
    except SystemExit as exit:
        status = leave(exit, name)[0]
    except BaseException as second:
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(second), second, strip(second.__traceback__))
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(kind, error, tb)
    try:
        sys.stderr.flush()
    except Exception:
        pass
    if sys.version_info < (3, 13):
        remember_lines(request)
    text = "null"
    try:
        import traceback

        text = quote("".join(traceback.format_exception(kind, error, tb))[-REPR_LIMIT:])
    except Exception:
        pass
    module = getattr(kind, "__module__", None)
    label = kind.__qualname__ if module in ("builtins", "__main__", None) else "%s.%s" % (module, kind.__qualname__)
    memory = "true" if refused(error) else "false"
    return status, '{"kind":"error","type":%s,"message":%s,"line":%s,"traceback":%s,"memory":%s}' % (
        quote(label), quote(show_text(error)), line_of(error, tb, name), text, memory)


def refused(error):
    """Whether a MemoryError came of an allocation that was refused, not of a `raise` or of a program too deep to compile."""
    while isinstance(error, MemoryError):
        tb = error.__traceback__
        while tb is not None and tb.tb_next is not None:
            tb = tb.tb_next
        if tb is None:
            return False
        try:
            from opcode import opname

            if opname[tb.tb_frame.f_code.co_code[tb.tb_lasti]] != "RAISE_VARARGS":
                return True
        except Exception:
            return True
        error = error.__cause__ or error.__context__
    return False


def remember_lines(request):
    """Lets tracebacks show the lines of a program that is in no file."""
    if request["is_file"]:
        return
    try:
        import linecache

        source = request["source"]
        linecache.cache[request["file"]] = (len(source), None, source.splitlines(True), request["file"])
    except Exception:
        pass
