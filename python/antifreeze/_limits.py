"""The one set of limits, by which the gate judges and which the executor enforces."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What code may use.

    A limit that is passed is named in `Outcome.limit` by the name of its field.
    """

    int_bits: int = 1_000_000
    """The most bits an integer may have."""
    timeout: float = 30.0
    """Seconds of wall-clock time, imports and the exit phase included."""
    memory: int = 1 << 30
    """Bytes of memory of the whole process tree."""
    output: int = 1 << 20
    """Bytes of stdout and stderr that are kept; code is ended at 64 times as much."""
    processes: int = 64
    """Processes and threads of the whole tree."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not 0 < value < float("inf") or (field.name != "timeout" and value != int(value)):
                kind = "a number of seconds" if field.name == "timeout" else "a whole number"
                raise ValueError(f"{field.name}={value!r}: must be {kind} above 0")

    def to_dict(self) -> dict[str, Any]:
        """The limits as a dict, with the names that every format of antifreeze uses."""
        return asdict(self)


DEFAULT = Limits()


def limits_from(limits: Limits | None, **overrides: float | None) -> Limits:
    """`limits`, with those of `overrides` that are not None."""
    given: dict[str, Any] = {name: value for name, value in overrides.items() if value is not None}
    base = DEFAULT if limits is None else limits
    return replace(base, **given) if given else base


@lru_cache(maxsize=64)
def as_json(limits: Limits) -> str:
    """The limits as the native module takes them."""
    return json.dumps(limits.to_dict())
