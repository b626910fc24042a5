"""`check` and `run`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _native, _telemetry
from ._exceptions import SetupError
from ._executable import executable
from ._limits import Limits, as_json, limits_from
from ._outcome import Outcome
from ._report import Report
from ._telemetry import Sentry

OnOutput = Callable[[str, bytes], object]
"""Called with `"stdout"` or `"stderr"` and what was written, as it comes."""


def version() -> str:
    """The version of antifreeze."""
    return _native.version()


def check(
    code: str,
    *,
    limits: Limits | None = None,
    name: str = "<command>",
    timeout: float | None = None,
    memory: int | None = None,
    int_bits: int | None = None,
    output: int | None = None,
    processes: int | None = None,
) -> Report:
    """Reads code and says whether it must not be run. Never runs any of it.

    Args:
        code: Python, as a script; fences or a common indentation around it are seen through.
        limits: what the code is judged by; the other arguments override single ones (seconds, bytes, bits, a count).
        name: how the report calls the code.

    Raises:
        ValueError: the code is no text that Python could read (a NUL character), or a limit is not a number above 0.
    """
    given = limits_from(limits, timeout=timeout, memory=memory, int_bits=int_bits, output=output, processes=processes)
    return Report(_native.check(code, name, as_json(given)), code)


def run(
    code: str,
    *,
    limits: Limits | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    int_bits: int | None = None,
    output: int | None = None,
    processes: int | None = None,
    args: Sequence[str] = (),
    python: str | os.PathLike[str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    gate: bool = True,
    guards: bool = True,
    confine: bool = False,
    strict_output: bool = False,
    on_output: OnOutput | None = None,
    sentry_dsn: str | None = None,
    sentry_send_code: bool | None = None,
    sentry: Sentry | None = None,
) -> Outcome:
    """Runs code once, in a process of its own, within limits: the gate first, then the executor.

    Gives an `Outcome` whatever the code did. Other threads run on meanwhile; Ctrl-C ends the code and raises KeyboardInterrupt.

    Args:
        code: Python, run as `__main__`.
        limits: what the code may use; the other arguments override single ones (seconds, bytes, bits, a count).
        args: `sys.argv[1:]` of the code.
        python: the interpreter; by default the one this runs under.
        cwd: the working folder of the code.
        env: environment variables to set for the code, besides this process's.
        gate: whether what provably exceeds a limit is rejected.
        guards: whether integer operations are checked while the code runs.
        confine: whether the code may write to its working folder only, and reach no network and no other process.
        strict_output: whether output over the limit ends the code, instead of being dropped.
        on_output: called with output as it comes.
        sentry_dsn: the project of Sentry's that is told of what is rejected or stopped; by default `ANTIFREEZE_SENTRY_DSN`.
        sentry_send_code: whether the code is sent too, without what looks like a secret; by default `ANTIFREEZE_SENTRY_SEND_CODE`.
        sentry: the host's own `sentry_sdk`, to hand the event to.

    Raises:
        SetupError: nothing could be run; the message says what to do.
        ValueError: a limit is not a number above 0.
    """
    given = limits_from(limits, timeout=timeout, memory=memory, int_bits=int_bits, output=output, processes=processes)
    request = {
        "limits": given.to_dict(),
        "args": list(args),
        "python": interpreter(python),
        "cwd": folder(cwd),
        "env": list((env or {}).items()),
        "gate": gate,
        "guards": guards,
        "confine": confine,
        "strict_output": strict_output,
        "helper": executable(),
        "telemetry": _telemetry.options(sentry_dsn, sentry_send_code),
    }
    outcome = Outcome.from_dict(json.loads(_native.run(code, json.dumps(request), on_output)))
    _telemetry.tell(sentry, outcome, given, code, "<command>", sentry_send_code)
    _telemetry.warn(2)
    return outcome


def interpreter(python: str | os.PathLike[str] | None) -> str:
    """The interpreter that was asked for; this one if none was."""
    if python is not None:
        return os.fspath(python)
    if not sys.executable:
        raise SetupError("this Python does not know its own executable; name one with python=")
    return sys.executable


def folder(cwd: str | os.PathLike[str] | None) -> str | None:
    """The working folder that was asked for."""
    if cwd is None:
        return None
    if not os.path.isdir(cwd):
        raise SetupError(f"cwd={os.fspath(cwd)!r}: not a folder")
    return os.fspath(cwd)
