# Put in the way of Python by `antifreeze watch`: lets the process be asked where it is. What would have been found under this name
# without it runs as ever.
import sys


def _answer():
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if place != here]
    try:
        import faulthandler
        import fcntl
        import signal

        stacks = os.open(os.path.join(here, str(os.getpid())), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            # Out of the way of programs that close what they did not open.
            high = fcntl.fcntl(stacks, fcntl.F_DUPFD_CLOEXEC, 512)
            os.close(stacks)
            stacks = high
        except OSError:
            pass
        faulthandler.register(signal.SIGURG, file=stacks, all_threads=True, chain=False)
    except Exception:
        pass


try:
    _answer()
except Exception:
    pass
_ours = sys.modules.pop(__name__)
try:
    import sitecustomize
except ImportError as _error:
    if getattr(_error, "name", "sitecustomize") != "sitecustomize":
        raise
finally:
    sys.modules.setdefault(__name__, _ours)
