"""What the gate says of code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import _native
from ._exceptions import Rejected
from ._outcome import GuardSite
from ._records import record, records


@dataclass(frozen=True)
class Measure:
    """What was computed, in `unit` (bits, seconds, bytes …). `high` is None where there is no upper bound."""

    unit: str
    low: float
    high: float | None = None
    limit: float | None = None


@dataclass(frozen=True)
class Finding:
    """One thing the gate found. Lines and columns are 1-based, columns count characters; `offset` and `length` count bytes of UTF-8."""

    code: str
    """The rule, such as `AF101`; `antifreeze rule AF101` explains it."""
    name: str
    level: str
    """`error` rejects, `warning` and `note` do not."""
    message: str
    help: str
    line: int
    column: int
    end_line: int
    end_column: int
    offset: int
    length: int
    reach: str
    """`always`, `maybe`, `unclear` or `defined`."""
    proof: str
    """`proven` or `likely`."""
    measure: Measure | None = None
    cell: int | None = None

    def __str__(self) -> str:
        return f"{self.code} {self.name} at line {self.line}: {self.message} {self.help}".strip()


@dataclass(frozen=True)
class Coverage:
    """How far the evaluator saw, in statements."""

    statements: int
    evaluated: int
    out_of_fuel: bool


def _finding(data: dict[str, Any]) -> Finding:
    made = record(Finding, {**data, "measure": record(Measure, data.get("measure"))})
    assert made is not None
    return made


class Report:
    """What the gate says of one piece of code. It is true where the code may run."""

    def __init__(self, native: _native.Verdict, code: str) -> None:
        self._native = native
        self.code = code

    @property
    def rejects(self) -> bool:
        """Whether the code must not be run."""
        return self._native.rejects

    @property
    def verdict(self) -> str:
        """`reject`, or `bound`: to be run within the limits. Nothing is ever called safe."""
        return "reject" if self.rejects else "bound"

    @cached_property
    def _data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._native.json())
        return data

    @cached_property
    def findings(self) -> list[Finding]:
        """All findings, in order of position; those of level `error` reject."""
        return [_finding(one) for one in self._data["findings"]]

    @property
    def errors(self) -> list[Finding]:
        """The findings that reject."""
        return [finding for finding in self.findings if finding.level == "error"]

    @cached_property
    def guard_sites(self) -> list[GuardSite]:
        """Operations that `run` checks just before they are computed."""
        return records(GuardSite, self._data["guard_sites"])

    @cached_property
    def coverage(self) -> Coverage:
        """How far the evaluator saw."""
        made = record(Coverage, self._data["coverage"])
        assert made is not None
        return made

    def to_dict(self) -> dict[str, Any]:
        """The report as one of `files` of `antifreeze check --format json`."""
        data: dict[str, Any] = json.loads(self._native.json())
        return data

    def render(self) -> str:
        """The report as `antifreeze check` prints it, the lines of the code underlined."""
        return self._native.render()

    def raise_for_reject(self) -> Report:
        """Raises `Rejected` if the code must not be run; gives the report back if it may."""
        if self.rejects:
            raise Rejected(str(self), report=self)
        return self

    def __bool__(self) -> bool:
        return not self.rejects

    def __str__(self) -> str:
        shown = self.errors or [finding for finding in self.findings if finding.level == "warning"]
        if not shown:
            return "nothing found"
        head = "The code was rejected before it ran." if self.rejects else "The code may run, within its limits."
        return "\n".join([head, *(f"{finding}" for finding in shown)])

    def __repr__(self) -> str:
        codes = ", ".join(finding.code for finding in self.findings)
        return f"<antifreeze.Report {self.verdict}{': ' + codes if codes else ''}>"
