# The process of a session, its backup, and the zygote that sessions are forked from. worker.py runs this in a scope where `worker`
# is its own; what is called by name there is what it is here.
#
# The session's process runs every step itself. Between steps it forks a backup, which waits. When a step ends well the backup is
# dropped and another forked; when a limit strikes, the backup ends everything else and is the session, as it was before the step.
# Whoever is the session talks to the helper over CONTROL, one channel for each of them; a backup has a socket of its own.
import _ast  # what compiling a step in halves needs
import _signal
import _socket
import errno
import fcntl
import json
import linecache
import os
import sys
import time
import traceback  # what a step that raises needs, read before the first fork

FILE = "<antifreeze>"
_decode, _encode = json.JSONDecoder().raw_decode, json.dumps
BUILTINS = worker["BUILTINS"]
send, quote_limit = worker["send"], 1 << 16
_fork, _getpid, _exit, _kill, _waitpid, _setpgid = os.fork, os.getpid, os._exit, os.kill, os.waitpid, os.setpgid
_sigmask, _dup2, _close, _listdir = _signal.pthread_sigmask, os.dup2, os.close, os.listdir
ALL_SIGNALS = set(_signal.valid_signals()) - {_signal.SIGURG, _signal.SIGSEGV, _signal.SIGBUS, _signal.SIGFPE, _signal.SIGILL, _signal.SIGABRT}
CLOEXEC = 0x40000000  # MSG_CMSG_CLOEXEC
SPACE = _socket.CMSG_SPACE(16 * 4)
# How much of what is shown is kept: of one thing, and of all that one step shows.
ONE_DISPLAY, ALL_DISPLAYS = 1 << 20, 3 << 20
BINARY = ("image/png", "image/jpeg")


def loads(data):
    """What JSON says, also when the program has put something else in the place of `json.loads` or of builtins."""
    return _decode(data.decode("utf-8"))[0]


class Session:
    """What the session's process knows of itself; a backup takes it over."""

    control = trace = channel = None
    pid = 0
    buffer = bytearray()
    fds = []
    # The backups that are children of this process: no wait of the program's may see them.
    hidden = set()
    mask = frozenset()
    checkpoint = True
    outer = 0
    space = {}
    options = {}
    guards = None
    calls = 0
    modules_seen = 0
    cuda = False
    quiet = False


S = Session()


class ToolError(RuntimeError):
    """A tool of the host's failed, or gave what is not JSON."""


ToolError.__module__ = "antifreeze"


def begin(request, control, trace):
    """What worker.py hands over to: gives the function that runs when everything below it has returned."""
    if request["session"] == "zygote":
        zygote(request, control)
        # Whoever comes here is a session's process, forked.
    else:
        S.control, S.trace = control, trace
        failed = preload(request["preload"])
        if failed:
            send(control, b"x", failed)
            _exit(1)
        become(request)
    return run


def preload(names):
    """Imports modules ahead; gives what went wrong, or nothing."""
    import importlib

    for name in names:
        try:
            importlib.import_module(name)
        except BaseException as error:
            return "preloading `%s` failed: %s: %s" % (name, type(error).__name__, str(error)[:500])
    return ""


# --- the zygote -----------------------------------------------------------------------------------------------------------


def zygote(request, control):
    """Forks a process for each message. Returns in those processes alone."""
    import gc

    setns = find_setns()
    commands = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, request["commands"])
    os.set_inheritable(request["commands"], False)
    if setns is None:
        send(control, b"n", "")
        _exit(0)
    failed = preload(request["preload"])
    if failed:
        send(control, b"x", failed)
        _exit(1)
    # Compiling makes the classes of all nodes of trees.
    compile("1", FILE, "exec", 0x400, True)
    # What is shared stays shared: the collector would write to all of it.
    gc.collect()
    gc.freeze()
    send(control, b"r", "")
    while True:
        data, ancillary, _, _ = commands.recvmsg(64, _socket.CMSG_SPACE(16 * 4), CLOEXEC)
        if not data:
            _exit(0)
        fds = descriptors(ancillary)
        # The channel, the trace, and then the namespaces.
        pid = _fork()
        if pid:
            for fd in fds:
                _close(fd)
            _waitpid(pid, 0)
            continue
        commands.close()
        _close(control)
        try:
            for fd in fds[2:]:
                setns(fd, 0)
            # Whoever enters a PID namespace stays outside; its children are inside. The child's child is an orphan at once, and
            # the namespace's first process its parent, as it is of all others there.
            inside = _fork()
        except BaseException as error:
            say_failed(fds[0], "entering the session's namespaces failed: %s" % error)
            _exit(1)
        if inside:
            _waitpid(inside, 0)
            _exit(0)
        try:
            if _fork():
                _exit(0)
        except BaseException as error:
            say_failed(fds[0], "forking failed: %s" % error)
            _exit(1)
        for fd in fds[2:]:
            _close(fd)
        S.control, S.trace = lift(fds[0]), lift(fds[1])
        worker["CHANNEL"] = os.fstat(S.control)[1:3]
        os.setsid()
        reseed()
        kind, payload = bare_frame(S.control)
        become(loads(payload))
        return


def say_failed(fd, text):
    data = text.encode("utf-8", "replace")
    os.write(fd, len(data).to_bytes(4, "little") + b"x" + data)


def find_setns():
    if hasattr(os, "setns"):
        return os.setns
    try:
        import ctypes
    except ImportError:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "setns"):
        return None

    def setns(fd, kind):
        if library.setns(fd, kind):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return setns


def descriptors(ancillary):
    found = []
    for level, kind, data in ancillary:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            found.extend(int.from_bytes(data[i:i + 4], sys.byteorder) for i in range(0, len(data) - 3, 4))
    return found


def lift(fd):
    """The same descriptor with a high number, out of the way of programs that close everything below 256."""
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 1000 if soft < 0 or soft > 1010 else max(soft - 10, 3))
    except OSError:
        return fd
    _close(fd)
    return high


def bare_frame(fd):
    def read(n):
        data = b""
        while len(data) < n:
            part = os.read(fd, n - len(data))
            if not part:
                _exit(70)
            data += part
        return data

    head = read(5)
    return head[4], read(int.from_bytes(head[:4], "little"))


def reseed():
    """Two sessions of one zygote must not draw the same numbers. `random` sees to it itself."""
    random = getattr(sys.modules.get("numpy"), "random", None)
    if random is not None:
        try:
            random.seed()
        except Exception:
            pass


# --- the session's process ------------------------------------------------------------------------------------------------


def become(options):
    """Makes this process a session's."""
    import faulthandler

    S.options = options
    S.pid = _getpid()
    S.checkpoint, S.outer = options["checkpoint"], options["outer"]
    S.channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, S.control)
    os.set_inheritable(S.control, False)
    os.set_inheritable(S.trace, False)
    faulthandler.register(_signal.SIGURG, file=S.trace, all_threads=True, chain=False)
    if options.get("warm"):
        if options["cwd"] is not None:
            os.chdir(options["cwd"])
        os.environ.update(options["env"])
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.argv[:] = [""]
    if sys.path and sys.path[0] != "":
        sys.path.insert(0, "")
    main = sys.modules["__main__"]
    S.space = main.__dict__
    for name in [name for name in S.space if not name.startswith("__")]:
        del S.space[name]
    worker["write_at_once"](lambda: S.quiet)
    for name in options["tools"]:
        S.space[name] = make_tool(name)
    __import__("builtins").display = display
    if options["allowed_imports"] is not None:
        allow_imports(options["allowed_imports"])
    hide_backups()
    S.mask = _sigmask(_signal.SIG_SETMASK, ALL_SIGNALS)
    try:
        executable = os.readlink("/proc/self/exe")
    except OSError:
        executable = ""
    send(S.control, b"r", executable)


def run():
    """Runs steps until the session is closed; what follows is the interpreter's own end, as after any program."""
    while True:
        while make_backup():
            pass
        kind, payload = receive()
        if kind == b"c":
            _sigmask(_signal.SIG_SETMASK, S.mask)
            return
        if kind != b"q":
            continue
        request = loads(payload)
        fds, S.fds = S.fds, []
        if len(fds) >= 2:
            _dup2(fds[0], 1)
            _dup2(fds[1], 2)
        for fd in fds:
            _close(fd)
        report, status = step(request)
        if _getpid() != S.pid:
            # A child that the program forked has come to the end of its step: it ends as it would in a script.
            _sigmask(_signal.SIG_SETMASK, S.mask)
            raise SystemExit(status)
        try:
            send(S.control, b"d", report)
        except OSError:
            _exit(70)


def receive():
    """The next frame. What has been read of one is kept should a signal's handler raise."""
    while True:
        if len(S.buffer) >= 5:
            end = int.from_bytes(S.buffer[:4], "little") + 5
            if len(S.buffer) >= end:
                kind, payload = bytes(S.buffer[4:5]), bytes(S.buffer[5:end])
                del S.buffer[:end]
                return kind, payload
        data, ancillary, _, _ = S.channel.recvmsg(1 << 16, SPACE, CLOEXEC)
        if not data:
            _exit(70)
        S.fds.extend(descriptors(ancillary))
        S.buffer += data


def make_backup():
    """Forks the process that is the session should the next step not end. True in that process, when it has become the session."""
    for pid in list(S.hidden):
        try:
            if _waitpid(pid, os.WNOHANG)[0]:
                S.hidden.discard(pid)
        except OSError:
            S.hidden.discard(pid)
    why = unforkable() if S.checkpoint else "it is switched off"
    if why:
        send(S.control, b"k", '{"backup":false,"reason":%s,"threads":0}' % _encode(why))
        return False
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    threads = count_threads()
    # Credentials come with every message to this end, from the kernel itself.
    ours.setsockopt(_socket.SOL_SOCKET, 16, 1)
    random = sys.modules.get("random")
    try:
        state = random.getstate()
    except Exception:
        random = None
    S.quiet = True
    unwarned = ignore_fork_warning() if threads else None
    try:
        pid = _fork()
    except OSError as error:
        ours.close()
        theirs.close()
        send(S.control, b"k", '{"backup":false,"reason":%s,"threads":%d}' % (_encode("forking failed: %s" % error), threads))
        return False
    finally:
        S.quiet = False
        if unwarned is not None:
            unwarned()
    if pid:
        # By both, so that whichever goes on first, the next step's signals to its own group do not reach the backup.
        try:
            _setpgid(pid, pid)
        except OSError:
            pass
        S.hidden.add(pid)
        theirs.close()
        text = b'{"backup":true,"reason":null,"threads":%d}' % threads
        frame = len(text).to_bytes(4, "little") + b"k" + text
        S.channel.sendmsg([frame], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, ours.fileno().to_bytes(4, sys.byteorder))])
        ours.close()
        return False
    # The backup. Whatever goes wrong in it, it must not end as a program does, with all that is registered for that.
    try:
        ours.close()
        S.channel.detach()
        _close(S.control)
        _setpgid(0, 0)
        if random is not None:
            # Forking seeds it anew; the session goes on with the numbers it would have drawn.
            random.setstate(state)
        wait_for_end(theirs)
    except BaseException:
        _exit(1)
    # Now this is the session.
    return True


def wait_for_end(line):
    line.send(b"b")
    data, ancillary, _, _ = line.recvmsg(16, SPACE, CLOEXEC)
    if data[:1] != b"r":
        _exit(0)
    fds = descriptors(ancillary)
    if data[1:2] == b"k":
        end_the_rest()
    line.close()
    _dup2(fds[0], S.control, False)
    _close(fds[0])
    worker["CHANNEL"] = os.fstat(S.control)[1:3]
    S.channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, S.control)
    S.buffer.clear()
    S.fds = []
    S.hidden.clear()
    S.pid = _getpid()
    send(S.control, b"h", "")


def end_the_rest():
    """Ends everything in this PID namespace but its first process and this one, and waits until it is gone: before that a fork
    could fail for want of numbers."""
    try:
        if os.stat("/proc/self/ns/pid").st_ino == S.outer:
            _exit(1)
    except OSError:
        _exit(1)
    while True:
        try:
            _kill(-1, 9)
        except ProcessLookupError:
            return
        except OSError:
            pass
        try:
            _waitpid(-1, os.WNOHANG)
        except OSError:
            pass
        time.sleep(0.0002)


def count_threads():
    try:
        return len(_listdir("/proc/self/task")) - 1
    except OSError:
        return 0


def unforkable():
    """What of the state of this process a fork would not keep, in words; threads are counted instead."""
    events = sys.modules.get("asyncio.events")
    if events is not None:
        try:
            if events._get_running_loop() is not None:
                return "an event loop is running"
        except Exception:
            pass
    if len(sys.modules) != S.modules_seen:
        S.modules_seen = len(sys.modules)
        try:
            with open("/proc/self/maps", "rb") as maps:
                S.cuda = b"libcuda" in maps.read()
        except OSError:
            pass
    return "it uses a GPU, whose state cannot be copied" if S.cuda else None


def ignore_fork_warning():
    """Since 3.12 a fork of a process with threads warns, and that once only: the program must not have its own warning used up."""
    warnings = sys.modules.get("warnings")
    try:
        kept = warnings.filters[:]
        warnings.filters.insert(0, ("ignore", None, DeprecationWarning, None, 0))
        warnings._filters_mutated()

        def undo():
            warnings.filters[:] = kept
            warnings._filters_mutated()

        return undo
    except Exception:
        return None


def hide_backups():
    """Waits for any child must not wait for a backup."""

    def alone():
        try:
            for task in _listdir("/proc/self/task"):
                with open("/proc/self/task/%s/children" % task) as file:
                    if any(int(pid) not in S.hidden for pid in file.read().split()):
                        return False
            return True
        except OSError:
            return False

    def wrap(name, is_any, pid_of):
        real = getattr(os, name)

        def wait(*args, **kwargs):
            if not S.hidden or _getpid() != S.pid or not is_any(*args, **kwargs):
                return real(*args, **kwargs)
            while True:
                if alone():
                    raise ChildProcessError(errno.ECHILD, os.strerror(errno.ECHILD))
                result = real(*args, **kwargs)
                if result is None or pid_of(result) not in S.hidden:
                    return result
                S.hidden.discard(pid_of(result))

        wait.__name__ = wait.__qualname__ = name
        wait.__doc__, wait.__module__ = real.__doc__, real.__module__
        setattr(os, name, wait)

    first = lambda result: result[0]
    wrap("wait", lambda: True, first)
    wrap("waitpid", lambda pid, options: pid == -1, first)
    wrap("wait3", lambda options: True, first)
    wrap("wait4", lambda pid, options: pid == -1, first)
    if hasattr(os, "waitid"):
        wrap("waitid", lambda kind, number, options: kind == os.P_ALL, lambda result: result.si_pid)


# --- one step -------------------------------------------------------------------------------------------------------------


def step(request):
    """Does what is asked; gives the report, and the status of a process that would end with it."""
    DISPLAYS.clear()
    global SHOWN
    SHOWN = 0
    ending = worker_ending()
    status, left = 0, False
    try:
        try:
            # An interrupt that came too late for the step before it is not this one's.
            while _signal.sigtimedwait({_signal.SIGINT}, 0) is not None:
                pass
            _sigmask(_signal.SIG_SETMASK, S.mask)
            report = ACTIONS[request["do"]](request, ending)
            figures()
            flush()
        finally:
            S.mask = _sigmask(_signal.SIG_SETMASK, ALL_SIGNALS)
    except SystemExit as error:
        left = True
        status, report = ending["leave"](error, request["file"])
        flush()
    except BaseException as error:
        if "source" not in request:
            request["source"] = ""
        status, report = ending["fail"](error, request)
        error = None
    if left:
        report = '%s,"status":%d}' % (report[:-1], status)
    if DISPLAYS:
        report = '%s,"displays":[%s]}' % (report[:-1], ",".join(DISPLAYS))
    return report, status


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def worker_ending():
    if "ending_scope" not in worker:
        worker["ending_scope"] = worker["ending"](worker["REQUEST"])
    return worker["ending_scope"]


def execute(request, ending):
    name, source, guards = request["file"], request["source"], request["guards"]
    # Tracebacks show the lines of functions of earlier steps too, as `inspect` does.
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    last = None
    if guards or len(source) <= worker["TREE_LIMIT"]:
        tree = compile(source, name, "exec", 0x400, True)
        if guards or S.guards is not None:
            scope = guards_scope(request)
            if guards:
                placed = scope["place"](tree, guards)
                if placed:
                    send(S.control, b"g", "%d" % placed)
        body, last = worker["halves"](tree, name)
        tree = None
    else:
        body = compile(source, name, "exec", 0, True)
    exec(body, S.space)
    if last is None:
        return '{"kind":"ok","result":null,"repr":null}'
    value = eval(last, S.space)
    if value is None:
        return '{"kind":"ok","result":null,"repr":"None"}'
    rich(value)
    return ending["result"](value)


def guards_scope(request):
    """The guards, which functions of earlier steps keep; the clock is this step's."""
    if S.guards is None:
        S.guards = {"__name__": "antifreeze guards", "__builtins__": BUILTINS, "send": guarded_send, "control": S.control,
                    "request": request, "refused": refused}
        exec(worker["part"](worker["REQUEST"], "kinds"), S.guards)
        exec(worker["part"](worker["REQUEST"], "guards"), S.guards)
    S.guards["START"], S.guards["TIMEOUT"] = time.monotonic(), request["timeout"]
    return S.guards


def guarded_send(control, kind, text):
    send(S.control, kind, text)


def refused():
    """Waits for the end after a guard has refused something. Comes back where there is no backup to go on with."""
    if _getpid() != S.pid:
        return
    while True:
        if receive()[0] == b"u":
            return


def assign(request, ending):
    S.space[request["name"]] = request["value"]
    return '{"kind":"ok","result":null,"repr":null}'


def look_up(request, ending):
    name = request["name"]
    if name not in S.space:
        raise NameError("name %r is not defined in this session" % name)
    value = S.space[name]
    text = ending["to_json"](value)
    exact = "true" if value is None or text != "null" else "false"
    return '{"kind":"ok","result":%s,"repr":%s,"exact":%s}' % (text, ending["quote"](ending["show"](value)), exact)


ACTIONS = {"run": execute, "set": assign, "get": look_up}


# --- what is shown --------------------------------------------------------------------------------------------------------

DISPLAYS = []
SHOWN = 0
FORMATS = [("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"), ("_repr_svg_", "image/svg+xml"),
           ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"), ("_repr_latex_", "text/latex")]


def show(mime, data):
    """Keeps one thing that is shown, cut where it is text and left out where it is not, should it be too large."""
    global SHOWN
    if type(data) is bytes:
        import binascii

        size = len(data)
        text = binascii.b2a_base64(data, newline=False).decode("ascii") if mime in BINARY else None
        if text is None:
            data = data.decode("utf-8", "replace")
    else:
        data = str(data)
        text = None
    most = min(ONE_DISPLAY, ALL_DISPLAYS - SHOWN)
    if text is not None:
        cut = 0 if len(text) <= most else size
        text = "" if cut else text
    else:
        # Bytes as they are written in UTF-8 are what counts.
        raw = data.encode("utf-8", "replace")
        kept = raw[:most].decode("utf-8", "ignore")
        cut, text = len(raw) - len(kept.encode("utf-8")), kept
    SHOWN += len(text)
    if len(DISPLAYS) < 100:
        DISPLAYS.append('{"mime":%s,"data":%s,"truncated_bytes":%d}' % (_encode(mime), _encode(text), cut))


def rich(value):
    """Shows a value in the forms that its class knows."""
    kind = type(value)
    shown = False
    for method, mime in FORMATS:
        function = getattr(kind, method, None)
        if function is None:
            continue
        try:
            data = function(value)
        except Exception:
            continue
        if type(data) is tuple:
            data = data[0] if data else None
        if data is not None:
            show(mime, data)
            shown = True
    return shown


def display(*values):
    """Shows values as a notebook does: as HTML, an image or text, whatever they know of."""
    for value in values:
        if not rich(value):
            show("text/plain", worker_ending()["show"](value))


def figures():
    """Shows the figures that matplotlib has open, and closes them, as notebooks do."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    try:
        numbers = pyplot.get_fignums()
    except Exception:
        return
    import io

    for number in numbers[:20]:
        try:
            buffer = io.BytesIO()
            figure = pyplot.figure(number)
            figure.savefig(buffer, format="png", bbox_inches="tight")
            show("image/png", buffer.getvalue())
        except Exception:
            pass
    try:
        if numbers:
            pyplot.close("all")
    except Exception:
        pass


# --- tools of the host's ---------------------------------------------------------------------------------------------------


def make_tool(name):
    def tool(*args, **kwargs):
        return call_tool(name, args, kwargs)

    tool.__name__ = tool.__qualname__ = name
    tool.__module__, tool.__doc__ = "antifreeze", "A tool of the host's."
    return tool


TOOL_LOCK = __import__("_thread").allocate_lock()


TOOL_LIMIT = 8 << 20


def cannot_travel(value, levels):
    """Why the other side could not read a value as JSON, in words."""
    if isinstance(value, int):
        return None if -(1 << 63) <= value < 1 << 64 else "an integer has more than 64 bits"
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    if parts and not levels:
        return "they are nested too deep"
    for part in parts:
        why = cannot_travel(part, levels - 1)
        if why:
            return why
    return None


def call_tool(name, args, kwargs):
    if _getpid() != S.pid:
        raise ToolError("%s can be called from the session's own process only, not from a child" % name)
    try:
        arguments = _encode([list(args), kwargs], allow_nan=False, ensure_ascii=False)
        size = len(arguments.encode("utf-8"))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError("%s takes arguments that JSON can say: %s" % (name, error)) from None
    # What the other side could not read would never be answered.
    unfit = "they take more than %d MiB" % (TOOL_LIMIT >> 20) if size > TOOL_LIMIT else cannot_travel([args, kwargs], 100)
    if unfit:
        raise TypeError("%s cannot be given these arguments: %s" % (name, unfit))
    with TOOL_LOCK:
        S.calls += 1
        number = S.calls
        send(S.control, b"t", '{"id":%d,"name":%s,"arguments":%s}' % (number, _encode(name), arguments))
        while True:
            kind, payload = receive()
            if kind == b"a":
                answer = loads(payload)
                if answer["id"] == number:
                    break
    if answer.get("error") is not None:
        raise ToolError("%s: %s" % (name, answer["error"]))
    return answer.get("result")


# --- the import policy: a convenience, which holds nobody who means to get around it -----------------------------------------


def allow_imports(names):
    import builtins

    allowed = tuple(names)
    real = builtins.__import__

    def permitted(name):
        return any(name == one or name.startswith(one + ".") for one in allowed)

    def refuse(name):
        raise ImportError("importing `%s` is not allowed in this session; allowed are: %s" % (name, ", ".join(allowed) or "no modules"),
                          name=name)

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        caller = sys._getframe(1).f_globals if globals is None else globals
        if level == 0 and (caller is S.space or caller.get("__name__") == "__main__") and not permitted(name):
            if not fromlist or not all(permitted("%s.%s" % (name, part)) for part in fromlist):
                refuse(name)
        return real(name, globals, locals, fromlist, level)

    class Policy:
        """For imports by function: what a module of its own accord imports is its own affair."""

        @staticmethod
        def find_spec(fullname, path=None, target=None):
            frame = sys._getframe(1)
            while frame is not None:
                name = frame.f_code.co_filename
                if not name.startswith("<frozen importlib") and not name.endswith("importlib/__init__.py"):
                    break
                frame = frame.f_back
            if frame is not None and frame.f_globals is S.space and not permitted(fullname):
                if not any(one.startswith(fullname + ".") for one in allowed):
                    refuse(fullname)
            return None

    builtins.__import__ = __import__
    sys.meta_path.insert(0, Policy)
