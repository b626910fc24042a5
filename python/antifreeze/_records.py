"""From the JSON of antifreeze to frozen dataclasses: fields by name, what is unknown left out, so that a newer executable can say more."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def record(kind: type[T], data: dict[str, Any] | None) -> T | None:
    """An instance of a dataclass from an object, or None from None."""
    if data is None:
        return None
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in data.items() if name in known})


def records(kind: type[T], data: list[dict[str, Any]] | None) -> list[T]:
    """Instances of a dataclass from a list of objects."""
    made = (record(kind, one) for one in data or [])
    return [one for one in made if one is not None]
