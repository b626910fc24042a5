"""antifreeze stops Python code written by AI agents from freezing the process that runs it.

    >>> import antifreeze
    >>> antifreeze.check("10 ** 10 ** 8").rejects
    True
    >>> antifreeze.run("1 + 1").result
    2
    >>> with antifreeze.Session(timeout=1) as session:
    ...     session.run("x = 20").outcome
    ...     session.run("while x: x = hash(x)").outcome
    ...     session.run("x + 1").result
    'finished'
    'rejected'
    21

`check` reads code and never runs it. `run` runs a program in a process of its own that is always released on time. A
`Session` runs step after step in one Python whose variables live on, also when a step freezes. Nothing here blocks other
threads: whatever waits, waits without the interpreter lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._api import check as check
    from ._api import run as run
    from ._exceptions import AntifreezeError as AntifreezeError
    from ._exceptions import CodeError as CodeError
    from ._exceptions import Crashed as Crashed
    from ._exceptions import InternalError as InternalError
    from ._exceptions import LimitExceeded as LimitExceeded
    from ._exceptions import NotSerializable as NotSerializable
    from ._exceptions import Rejected as Rejected
    from ._exceptions import SessionClosed as SessionClosed
    from ._exceptions import SetupError as SetupError
    from ._exceptions import StepFailed as StepFailed
    from ._limits import Limits as Limits
    from ._outcome import Display as Display
    from ._outcome import ErrorInfo as ErrorInfo
    from ._outcome import Frame as Frame
    from ._outcome import GuardSite as GuardSite
    from ._outcome import LimitHit as LimitHit
    from ._outcome import Mechanisms as Mechanisms
    from ._outcome import Outcome as Outcome
    from ._outcome import ThreadInfo as ThreadInfo
    from ._report import Coverage as Coverage
    from ._report import Finding as Finding
    from ._report import Measure as Measure
    from ._report import Report as Report
    from ._session import Session as Session

    __version__: str

# Where each name is. They are imported when they are first used: sessions import this package too, for a part that needs none of them.
_HOMES = {
    "_api": ("check", "run"),
    "_exceptions": (
        "AntifreezeError",
        "CodeError",
        "Crashed",
        "InternalError",
        "LimitExceeded",
        "NotSerializable",
        "Rejected",
        "SessionClosed",
        "SetupError",
        "StepFailed",
    ),
    "_limits": ("Limits",),
    "_outcome": ("Display", "ErrorInfo", "Frame", "GuardSite", "LimitHit", "Mechanisms", "Outcome", "ThreadInfo"),
    "_report": ("Coverage", "Finding", "Measure", "Report"),
    "_session": ("Session",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        return import_module("._api", __name__).version()
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
