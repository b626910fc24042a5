# Runs one program as `__main__`, as CPython runs a script, and reports how it ended. Imports next to nothing before the
# program does: what is imported here would be seen, and would cost every start.
import _signal
import os
import sys

FILE = "<antifreeze>"
_write, _getpid, _fstat = os.write, os.getpid, os.fstat
CHANNEL = ()
# What the functions here call by name stays what it is when a program puts something else into `builtins`.
BUILTINS = __builtins__
# Larger sources are compiled without their tree in between, which would take hundreds of megabytes.
TREE_LIMIT = 400_000
# Audit events after which a program is no longer alone in writing.
COMPANY = {
    "_thread.start_new_thread", "_thread.start_joinable_thread", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system",
    "subprocess.Popen",
}


def send(control, kind, text):
    """Sends one frame to the helper, unless the program closed the channel or put something else in its place."""
    try:
        if _fstat(control)[1:3] != CHANNEL:
            return
    except OSError:
        return
    data = text.encode("utf-8", "replace")
    data = len(data).to_bytes(4, "little") + kind + data
    while data:
        data = data[_write(control, data):]


def prepare(request, control, trace):
    """Makes everything ready and gives the function that runs the program."""
    import faulthandler

    global CHANNEL
    CHANNEL = _fstat(control)[1:3]
    for fd in (control, trace):
        os.set_inheritable(fd, False)
    if "session" in request:
        return session(request, control, trace)
    faulthandler.register(_signal.SIGURG, file=trace, all_threads=True, chain=False)
    argv = request["argv"]
    if sys.getfilesystemencoding() != "utf-8":
        argv = [os.fsdecode(arg.encode("utf-8", "surrogateescape")) for arg in argv]
    sys.argv[:] = argv
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [sys.executable, *argv]
    if request["path0"] is not None and sys.path and sys.path[0] == "":
        sys.path[0] = request["path0"]
    main = sys.modules["__main__"]
    space = main.__dict__
    for name in [name for name in space if not name.startswith("__")]:
        del space[name]
    if request["is_file"]:
        import _frozen_importlib_external as external

        main.__file__ = request["file"]
        main.__cached__ = None
        main.__loader__ = external.SourceFileLoader("__main__", request["file"])
    write_at_once()
    pid = _getpid()

    def run():
        status = run_program(request, space, control, pid)
        if status:
            raise SystemExit(status)

    return run


def session(request, control, trace):
    """Hands over to what runs the steps of a session."""
    global REQUEST
    REQUEST = request
    # Its own builtins: a step may replace those that the steps after it see.
    builtins = dict(vars(sys.modules["builtins"]))
    scope = {"__name__": "antifreeze session", "__builtins__": builtins, "worker": globals()}
    exec(part(request, "session"), scope)
    return scope["begin"](request, control, trace)


def write_at_once(ignored=lambda: False):
    """What a program wrote before it froze must not be lost in its buffers: text goes out as it is written. `print` then
    writes a line in two parts; from the first thread or child on, whose output could come between them, lines go out whole,
    and only the last line's beginning can be lost."""
    import _io

    streams = []
    for name in ("stdout", "stderr"):
        try:
            old = getattr(sys, name)
            if old.write_through:
                continue
            encoding, errors = old.encoding, old.errors
            # A buffer of one byte passes everything longer straight on, and is a buffer still for who looks for one. Only a
            # byte written alone waits for the next.
            buffer = _io.BufferedWriter(old.detach().detach(), 1)
            new = _io.TextIOWrapper(buffer, encoding, errors, "\n", True, True)
            new.mode = "w"
            setattr(sys, name, new)
            setattr(sys, "__%s__" % name, new)
            streams.append(new)
        except (AttributeError, ValueError, OSError):
            pass

    def hook(event, _):
        if streams and event in COMPANY and not ignored():
            for stream in streams:
                try:
                    stream.reconfigure(write_through=False)
                except BaseException:
                    pass
            streams.clear()

    sys.addaudithook(hook)


def ending(request):
    """The functions that make reports; read only where there is more to say than a small number."""
    scope = {"__name__": "antifreeze ending", "__builtins__": BUILTINS}
    exec(part(request, "ending"), scope)
    return scope


def part(request, name):
    """The code of a part of the worker, which came compiled or as source."""
    code = request["parts"][name]
    if type(code) is bytes:
        import marshal

        return marshal.loads(code)
    return compile(code, FILE, "exec")


def run_program(request, space, control, pid):
    """Runs the program; gives the status to exit with. The interpreter's own end comes after: it joins threads, runs
    atexit and finalisers exactly as for any script, still under the deadline."""
    name = request["file"]
    status = 0
    try:
        value, found = execute(request, space, control)
        if not found or value is None:
            report = '{"kind":"ok","result":null,"repr":%s}' % ('"None"' if found else "null")
        elif type(value) is int and -(1 << 53) <= value <= 1 << 53:
            report = '{"kind":"ok","result":%d,"repr":"%d"}' % (value, value)
        else:
            report = ending(request)["result"](value)
        value = None
    except SystemExit as error:
        status, report = ending(request)["leave"](error, name)
    except BaseException as error:
        status, report = ending(request)["fail"](error, request)
    # A child that the program forked ends here too; the report is its parent's to give.
    if _getpid() == pid:
        try:
            send(control, b"d", report)
        except OSError:
            # The helper heard something else than reports, and listens no more.
            pass
    return status


def halves(tree, name):
    """The code of a tree, and that of its last expression, whose value is asked for."""
    last = tree.body.pop() if tree.body and type(tree.body[-1]).__name__ == "Expr" else None
    body = compile(tree, name, "exec", 0, True)
    if last is not None:
        import _ast

        last = compile(_ast.Expression(last.value), name, "eval", body.co_flags & 0x1FE0000, True)
    return body, last


def execute(request, space, control):
    name, source = request["file"], request["source"]
    guards = request["guards"]
    last = None
    placed = 0
    failed = None
    body = None
    # From here on it is the program's time: compiling it may take long, too.
    try:
        executable = os.readlink("/proc/self/exe")
    except OSError:
        executable = ""
    send(control, b"r", executable)
    if name == "<string>" and not guards and request["form"] != "mixed":
        # Only these two take text without making the classes of all nodes of trees first, which takes as long as all the rest
        # of a short program; they call it by that name.
        if request["form"] == "expression":
            return eval(source, space), True
        return exec(source, space), False
    if guards or len(source) <= TREE_LIMIT:
        try:
            tree = compile(source, name, "exec", 0x400, True)
            if guards:
                scope = {"__name__": "antifreeze guards", "__builtins__": BUILTINS, "send": send, "control": control, "request": request}
                exec(part(request, "kinds"), scope)
                exec(part(request, "guards"), scope)
                placed = scope["place"](tree, guards)
            body, last = halves(tree, name)
            tree = None
        except BaseException as error:
            failed = error
    if placed:
        send(control, b"g", "%d" % placed)
    if failed is not None:
        raise failed
    if body is None:
        body = compile(source, name, "exec", 0, True)
    exec(body, space)
    if last is None:
        return None, False
    return eval(last, space), True
