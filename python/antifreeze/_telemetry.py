"""What Sentry is told: by antifreeze itself, or by the host's own library of Sentry's."""

from __future__ import annotations

import atexit
import json
import warnings
from typing import Any, Protocol

from . import _native
from ._limits import Limits, as_json
from ._outcome import Outcome


class Sentry(Protocol):
    """What `sentry_sdk` is, as far as it is used here: the module, a scope or a client."""

    def capture_event(self, event: Any, /) -> Any:
        """Takes an event."""


def options(dsn: str | None, send_code: bool | None) -> dict[str, Any]:
    """Who is told, for the native half; what is None is looked for in the environment."""
    return {"dsn": dsn, "send_code": send_code}


def warn(level: int) -> None:
    """Says, once, that something did not reach Sentry."""
    text = _native.take_warning()
    if text is not None:
        warnings.warn(text, RuntimeWarning, stacklevel=level + 1)


def tell(sentry: Sentry | None, outcome: Outcome, limits: Limits, code: str, name: str, send_code: bool | None) -> None:
    """Hands the event of an outcome, if it is worth one, to the host's own library of Sentry's."""
    if sentry is None:
        return
    event = event_of(outcome, limits=limits, code=code, name=name, send_code=bool(send_code))
    if event is None:
        return
    try:
        sentry.capture_event(event)
    except Exception as error:
        # Whatever it is, the step has its outcome.
        warnings.warn(f"sentry={sentry!r} did not take an event: {error}", RuntimeWarning, stacklevel=3)


def event_of(
    outcome: Outcome, *, limits: Limits | None = None, code: str | None = None, name: str = "<command>", send_code: bool = False
) -> dict[str, Any] | None:
    """The event of an outcome, or None for one that ended by itself."""
    given = None if limits is None else as_json(limits)
    if code is not None:
        code = code.encode("utf-8", "replace").decode()
    text = _native.sentry_event(json.dumps(outcome.to_dict()), given, code, name, send_code)
    if text is None:
        return None
    event: dict[str, Any] = json.loads(text)
    # The host's own library knows better when it is, where it runs and which release it is of.
    for key in ("timestamp", "server_name", "release", "environment", "sdk"):
        event.pop(key, None)
    return event


@atexit.register
def _finish() -> None:
    text = _native.finish_telemetry()
    if text is not None:
        warnings.warn(text, RuntimeWarning, stacklevel=1)
