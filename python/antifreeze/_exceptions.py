"""What antifreeze raises. Nothing here is raised by `run` or `check` themselves because of what the code does: see `raise_for_status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._outcome import Outcome
    from ._report import Report


class AntifreezeError(Exception):
    """Base of all that antifreeze raises."""


class SetupError(AntifreezeError):
    """Nothing could be run: no interpreter, a folder that is not there, a mechanism this kernel does not give. The message says what to do."""


class SessionClosed(AntifreezeError):
    """The session was closed, or belongs to the process this one was forked from."""


class NotSerializable(AntifreezeError):
    """A value that JSON cannot carry exactly. `repr` holds what it looks like in the session."""

    def __init__(self, message: str, repr: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.repr = repr


class StepFailed(AntifreezeError):
    """Code was not run to its end. `outcome` tells all; its fields can be read from the exception as well."""

    outcome: Outcome | None

    def __init__(self, message: str, outcome: Outcome | None = None, report: Report | None = None) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.report = report

    def __getattr__(self, name: str) -> Any:
        # An outcome that did not finish is false.
        sources = [self.__dict__.get("outcome"), self.__dict__.get("report")]
        source = next((one for one in sources if one is not None), None)
        if source is None or name.startswith("__"):
            raise AttributeError(name)
        return getattr(source, name)


class Rejected(StepFailed):
    """The gate refused the code; nothing was started."""


class LimitExceeded(StepFailed):
    """The code was stopped at a limit (`guarded`, `timed_out`, `out_of_memory`, `too_much_output`, `too_many_processes`)."""


class CodeError(StepFailed):
    """The code raised an exception or exited with a status other than 0."""


class Crashed(CodeError):
    """The code's process was ended by a signal that was not antifreeze's."""


class InternalError(StepFailed):
    """antifreeze itself failed. Says nothing about the code."""
