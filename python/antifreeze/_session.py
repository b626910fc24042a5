"""Sessions: steps that run one after another in one Python, whose variables live on, also when a step freezes."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

from . import _native, _telemetry
from ._api import OnOutput, folder, interpreter
from ._exceptions import NotSerializable, SessionClosed
from ._executable import executable
from ._limits import Limits, limits_from
from ._outcome import Outcome
from ._report import Report
from ._telemetry import Sentry

_MISSING: Any = object()


class Session:
    """One Python whose variables live on from step to step.

    A step that is stopped at a limit costs nothing but itself: the variables are as they were before it (`Outcome.state` says so).
    May be used from any thread; a session runs one step at a time, and others wait. Use it as a context manager, or call `close`.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        timeout: float | None = None,
        memory: int | None = None,
        int_bits: int | None = None,
        output: int | None = None,
        processes: int | None = None,
        tools: Mapping[str, Callable[..., Any]] | None = None,
        tool_time: bool = True,
        preload: Sequence[str] = (),
        allowed_imports: Sequence[str] | None = None,
        confine: bool = False,
        gate: bool = True,
        guards: bool = True,
        checkpoint: bool = True,
        strict_output: bool = False,
        python: str | os.PathLike[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        sentry_dsn: str | None = None,
        sentry_send_code: bool | None = None,
        sentry: Sentry | None = None,
    ) -> None:
        """Opens a session.

        Args:
            limits: what each step may use; the next five override single ones (seconds, bytes, bits, bytes, a count).
            tools: functions of this process that the code can call by these names. Arguments and results travel as JSON.
            tool_time: whether the time they take counts for the step.
            preload: modules to import ahead.
            allowed_imports: the modules the code may import, with their submodules. A convenience, not a boundary.
            confine: whether the code may write to its working folder only, and reach no network and no other process.
            gate: whether steps that provably exceed a limit are rejected.
            guards: whether integer operations are checked while a step runs.
            checkpoint: whether a backup of the variables is kept; without one a step that is stopped loses the session.
            strict_output: whether output over the limit ends a step.
            python: the interpreter; by default the one this runs under.
            cwd: the working folder of the code.
            env: environment variables to set for the code, besides this process's.
            sentry_dsn: the project of Sentry's that is told of steps that are rejected or stopped; by default `ANTIFREEZE_SENTRY_DSN`.
            sentry_send_code: whether their code is sent too, without what looks like a secret; by default
                `ANTIFREEZE_SENTRY_SEND_CODE`.
            sentry: the host's own `sentry_sdk`, to hand the events to.

        Raises:
            SetupError: no session can be had here; the message says what to do.
        """
        self.limits = limits_from(limits, timeout=timeout, memory=memory, int_bits=int_bits, output=output, processes=processes)
        self._tools = dict(tools or {})
        self._pool: ThreadPoolExecutor | None = None
        self._pool_lock = threading.Lock()
        self._pid = os.getpid()
        options = {
            "limits": self.limits.to_dict(),
            "python": interpreter(python),
            "cwd": folder(cwd),
            "env": list((env or {}).items()),
            "gate": gate,
            "guards": guards,
            "confine": confine,
            "checkpoint": checkpoint,
            "strict_output": strict_output,
            "preload": list(preload),
            "allowed_imports": None if allowed_imports is None else list(allowed_imports),
            "tool_time": tool_time,
        }
        self._sentry = sentry
        self._send_code = sentry_send_code
        telemetry = json.dumps(_telemetry.options(sentry_dsn, sentry_send_code))
        self._native = _native.Session(json.dumps(options), executable(), list(self._tools), self._call_tool, telemetry)

    def _call_tool(self, name: str, arguments: str) -> str:
        args, kwargs = json.loads(arguments)
        result = self._tools[name](*args, **kwargs)
        if inspect.isawaitable(result):
            result = _await(result)
        try:
            return _as_json(result)
        except (TypeError, ValueError) as error:
            raise TypeError(f"what the tool {name} gave cannot travel as JSON: {error}") from None

    def _mine(self) -> _native.Session:
        if self._pid != os.getpid():
            raise SessionClosed("this session belongs to the process that this one was forked from; open another here")
        return self._native

    def run(self, code: str, *, timeout: float | None = None, on_output: OnOutput | None = None) -> Outcome:
        """Runs a step and gives its `Outcome`, whatever the code did.

        Args:
            code: Python; the value of a last bare expression is the result, as in a notebook.
            timeout: seconds for this step, instead of the session's.
            on_output: called with output as it comes.

        Raises:
            SessionClosed: the session was closed, or belongs to a process this one was forked from.
            KeyboardInterrupt: Ctrl-C; the step was interrupted.
        """
        outcome = Outcome.from_dict(json.loads(self._mine().run(code, timeout, on_output)))
        _telemetry.tell(self._sentry, outcome, self.limits, code, "<step>", self._send_code)
        _telemetry.warn(2)
        return outcome

    async def arun(self, code: str, *, timeout: float | None = None, on_output: OnOutput | None = None) -> Outcome:
        """`run` for asyncio: other tasks go on meanwhile. When the task is cancelled, the step is interrupted."""
        loop = asyncio.get_running_loop()
        step = loop.run_in_executor(self._executor(), functools.partial(self.run, code, timeout=timeout, on_output=on_output))
        try:
            return await asyncio.shield(step)
        except asyncio.CancelledError:
            self.interrupt()
            await asyncio.wait([step])
            raise

    def _executor(self) -> ThreadPoolExecutor:
        # One thread of its own: a host with many sessions must not wait for a place in a shared pool.
        with self._pool_lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="antifreeze-session")
            return self._pool

    def check(self, code: str) -> Report:
        """What the gate would say of code as the next step, knowing the variables of the steps before. Runs nothing."""
        return Report(self._mine().check(code), code)

    def set(self, name: str, value: Any) -> None:
        """Gives a variable a value that JSON can carry.

        Raises:
            NotSerializable: JSON cannot carry it.
            StepFailed: the session could not take it.
        """
        try:
            text = _as_json(value)
        except (TypeError, ValueError) as error:
            raise NotSerializable(f"{name} cannot travel as JSON: {error}", repr(value)) from None
        Outcome.from_dict(json.loads(self._mine().set(name, text))).raise_for_status()

    def get(self, name: str, default: Any = _MISSING) -> Any:
        """A variable's value.

        Raises:
            KeyError: there is no such variable, and no default was given.
            NotSerializable: JSON cannot carry the value exactly; the exception's `repr` shows it.
        """
        outcome = Outcome.from_dict(json.loads(self._mine().get(name)))
        if outcome.error is not None and outcome.error.type == "NameError":
            if default is _MISSING:
                raise KeyError(name)
            return default
        outcome.raise_for_status()
        if outcome.result is None and outcome.result_repr != "None":
            raise NotSerializable(f"{name} cannot travel as JSON: {outcome.result_repr}", outcome.result_repr)
        return outcome.result

    def interrupt(self) -> None:
        """Interrupts the step that runs, from another thread or task; does nothing when none does."""
        if self._pid == os.getpid():
            self._native.interrupt()

    def close(self) -> None:
        """Ends the session. Its `atexit` handlers run, for as long as a step may take."""
        if self._pid == os.getpid():
            self._native.close()
            if self._pool is not None:
                self._pool.shutdown(wait=False)

    @property
    def pid(self) -> int | None:
        """The process that supervises the session, for diagnosis; None where there is none at the moment."""
        return self._native.supervisor_pid

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<antifreeze.Session timeout={self.limits.timeout:g} s, tools={sorted(self._tools)}>"


def _await(result: Any) -> Any:
    async def main() -> Any:
        return await result

    return asyncio.run(main())


def _as_json(value: Any) -> str:
    """A value as JSON that arrives as what it is."""
    text = json.dumps(value, allow_nan=False)
    if _is_long(value):
        raise ValueError("an integer has more than 64 bits")
    return text


def _is_long(value: Any) -> bool:
    if isinstance(value, int):
        return not -(1 << 63) <= value < 1 << 64
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(_is_long(part) for part in parts)
