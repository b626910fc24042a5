"""What became of a run or a step: the fields of `antifreeze run --format json` as attributes."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from ._exceptions import CodeError, Crashed, InternalError, LimitExceeded, Rejected, StepFailed
from ._records import record, records

STOPPED = frozenset({"guarded", "timed_out", "out_of_memory", "too_much_output", "too_many_processes"})


@dataclass(frozen=True)
class GuardSite:
    """An operation that is checked just before it is computed. 1-based, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    op: str


@dataclass(frozen=True)
class ErrorInfo:
    """The exception that ended the code."""

    type: str
    """The class's name, qualified unless it is a builtin or the code's own."""
    message: str
    line: int | None = None
    """The innermost line of the code's own text, 1-based."""
    traceback: str | None = None


@dataclass(frozen=True)
class LimitHit:
    """The limit that stopped the code: a field of `Limits`, its value, and what was seen (None where it was refused before)."""

    name: str
    value: float
    observed: float | None = None


@dataclass(frozen=True)
class Frame:
    """One frame of a stack. `source` is the line's text, None for files other than the code."""

    file: str
    line: int
    function: str
    source: str | None = None


@dataclass(frozen=True)
class ThreadInfo:
    """A thread or process that was alive when a limit struck; outermost frame first."""

    pid: int
    thread: str | None = None
    command: str | None = None
    frames: list[Frame] = field(default_factory=list)


@dataclass(frozen=True)
class Display:
    """Something shown besides text. Binary types are base64 in `data`; see `bytes`."""

    mime: str
    data: str
    truncated_bytes: int = 0

    def bytes(self) -> bytes:
        """The data as bytes."""
        text = self.mime.startswith("text/") or self.mime in {"application/json", "image/svg+xml"}
        return self.data.encode() if text else base64.b64decode(self.data)


@dataclass(frozen=True)
class Mechanisms:
    """What the code was held with."""

    pid_namespace: bool = False
    own_proc: bool = False
    cgroup: bool = False
    confined: bool = False
    guards: int = 0
    stack: str | None = None
    process_cap: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a run or a step, whatever the code did. It is true where the code finished."""

    outcome: str
    """`finished`, `raised`, `rejected`, `guarded`, `timed_out`, `out_of_memory`, `too_much_output`, `too_many_processes`, `crashed` or
    `internal`."""
    result: Any = None
    """The value of a last bare expression where JSON can carry it exactly, else None."""
    result_repr: str | None = None
    """Its repr; None where the code does not end in an expression."""
    stdout: str = ""
    stderr: str = ""
    truncated_bytes: int = 0
    """Bytes of output that were counted but not kept."""
    exit_status: int | None = None
    error: ErrorInfo | None = None
    findings: list[dict[str, Any]] = field(default_factory=list)
    guard_sites: list[GuardSite] = field(default_factory=list)
    limit: LimitHit | None = None
    stack: list[Frame] | None = None
    """Where the main thread was when a limit struck, outermost frame first."""
    stack_reason: str | None = None
    """Why there is no stack, in words."""
    threads: list[ThreadInfo] = field(default_factory=list)
    displays: list[Display] = field(default_factory=list)
    mechanisms: Mechanisms = field(default_factory=Mechanisms)
    killed_processes: int = 0
    duration_ms: float = 0.0
    state: str | None = None
    """Sessions: `kept` (variables as before the step), `advanced` or `lost`."""
    threads_lost: int | None = None
    """Sessions: threads of earlier steps that a restored state has no more."""
    interrupted: int | None = None
    """The signal the host was sent and passed on."""
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Outcome:
        """An outcome from the object that `antifreeze run --format json` prints."""
        made = record(
            cls,
            {
                **data,
                "error": record(ErrorInfo, data.get("error")),
                "guard_sites": records(GuardSite, data.get("guard_sites")),
                "limit": record(LimitHit, data.get("limit")),
                "stack": None if data.get("stack") is None else records(Frame, data["stack"]),
                "threads": [_thread(one) for one in data.get("threads") or []],
                "displays": records(Display, data.get("displays")),
                "mechanisms": record(Mechanisms, data.get("mechanisms") or {}),
                "raw": data,
            },
        )
        assert made is not None
        return made

    def to_dict(self) -> dict[str, Any]:
        """The object that `antifreeze run --format json` prints."""
        return dict(self.raw)

    def to_sentry_event(self, *, code: str | None = None, send_code: bool = False) -> dict[str, Any] | None:
        """The event that `sentry_sdk.capture_event` takes; None for an outcome that is not worth one.

        Args:
            code: the code, for the line of what was rejected.
            send_code: whether text of the code may be in it; what looks like a secret is taken out.
        """
        from ._telemetry import event_of

        return event_of(self, code=code, send_code=send_code)

    @property
    def finished(self) -> bool:
        """Whether the code ran to its end."""
        return self.outcome == "finished"

    @property
    def stopped(self) -> bool:
        """Whether a limit stopped the code."""
        return self.outcome in STOPPED

    def __bool__(self) -> bool:
        return self.finished

    @property
    def message(self) -> str:
        """What happened and what to do, in words that a model can act on."""
        kept = {
            "kept": " All variables are as they were before this step.",
            "advanced": "",
            "lost": " All variables of this session are lost; define again what is needed.",
        }.get(self.state or "", "")
        if self.outcome == "finished":
            return "The code finished."
        if self.outcome == "rejected":
            errors = [one for one in self.findings if one.get("level") == "error"]
            if not errors:
                return f"The code was rejected before it ran. {self.error.message if self.error else ''}".strip()
            lines = [f"{one['code']} {one['name']} at line {one['line']}: {one['message']} {one['help']}".strip() for one in errors]
            return "\n".join(["The code was rejected before it ran; nothing of it was run.", *lines])
        if self.outcome == "internal":
            return f"antifreeze failed: {self.error.message if self.error else 'for an unknown reason'}.{kept}"
        if self.stopped:
            return f"{self._stopped()}{self._where()}{kept}"
        if self.error is not None:
            line = f" at line {self.error.line}" if self.error.line else ""
            return f"The code raised {self.error.type}{line}: {self.error.message}"
        if self.outcome == "crashed":
            return f"The process of the code crashed (exit status {self.exit_status}).{kept}"
        return f"The code exited with status {self.exit_status}."

    def _stopped(self) -> str:
        limit = self.limit
        if self.outcome == "guarded":
            return f"The code was stopped. {self.error.message if self.error else ''}".strip()
        if limit is None:
            return f"The code was stopped: {self.outcome}."
        value, seen = _amount(limit.name, limit.value), limit.observed
        held = "asked for more memory than it may have" if seen is None else f"held {_amount('memory', seen)} of memory"
        return {
            "timed_out": f"The code was stopped after {self.duration_ms / 1000:.1f} s; the limit is {value}.",
            "out_of_memory": f"The code was stopped: it {held}; the limit is {value}.",
            "too_much_output": f"The code was stopped: it wrote {_amount('output', seen or 0)}; {value} are kept.",
            "too_many_processes": f"The code was stopped: it had {seen or 0:.0f} processes and threads; the limit is {value}.",
        }.get(self.outcome, f"The code was stopped: {self.outcome}.")

    def _where(self) -> str:
        own = next((frame for frame in reversed(self.stack or []) if frame.source is not None), None)
        if own is None:
            return ""
        return f" It was at line {own.line}: {own.source}"

    def raise_for_status(self) -> Outcome:
        """Raises `Rejected`, `LimitExceeded`, `Crashed`, `CodeError` or `InternalError` unless the code finished; gives the outcome back."""
        if self.finished:
            return self
        kind: type[StepFailed] = CodeError
        if self.outcome == "rejected":
            kind = Rejected
        elif self.stopped:
            kind = LimitExceeded
        elif self.outcome == "crashed":
            kind = Crashed
        elif self.outcome == "internal":
            kind = InternalError
        raise kind(self.message, self)

    def __str__(self) -> str:
        return self.message


def _thread(data: dict[str, Any]) -> ThreadInfo:
    return ThreadInfo(data["pid"], data.get("thread"), data.get("command"), records(Frame, data.get("frames")))


def _amount(name: str, value: float) -> str:
    if name == "timeout":
        return f"{value:g} s"
    if name in {"memory", "output"}:
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value >= size:
                return f"{value / size:.4g} {unit}"
        return f"{value:.0f} bytes"
    return f"{value:.0f}"
