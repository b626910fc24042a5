"""The value of a step's last statement, as smolagents' own executor gives it: of an assignment what was assigned, of an `if` what its
branch came to, of a `for` what its body assigned last.

The step's text is followed by a call that tells the host. What cannot be read again afterwards is kept by `:=` where it is computed, but
never inside a loop: the loops that the gate judges, and the lines that messages name, are the code's own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

KEPT = "_antifreeze_last"
FINISH = "_antifreeze_finish"
SETTLE = "_antifreeze_settle"


def with_report(code: str, tree: ast.Module, step: int) -> str:
    """The code, followed by a call that tells the host the last statement's value. Lines stay where they are."""
    if not tree.body:
        return f"{FINISH}()"
    text = _Text(code, step)
    last = tree.body[-1]
    candidates: list[str] = []
    if isinstance(last, ast.Expr):
        if isinstance(last.value, (ast.Yield, ast.YieldFrom, ast.Await)):
            # No statement of a module's; CPython says so of the code as it is.
            return text.written("")
        if not isinstance(last.value, ast.Name):
            # Twice in parentheses, as `a, b` has none of its own.
            return text.around(last.value, f"{FINISH}((", "))").written("")
        candidates = [last.value.id]
    elif isinstance(last, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        candidates = [last.name]
    elif isinstance(last, ast.For):
        candidates = _assigned(last.body)
    elif isinstance(last, ast.If):
        candidates = text.branches(last)
    elif (one := text.statement(last, reread=True)) is not None:
        candidates = [one]
    # By text: what an unknown function is given the gate knows nothing of any more, nor of what it could call.
    return text.written(f"{SETTLE}({', '.join(repr(one) for one in candidates)})" if candidates else f"{FINISH}()")


class _Text:
    """A step's text with additions."""

    def __init__(self, code: str, step: int) -> None:
        self._data = code.encode()
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._added: list[tuple[int, str]] = []
        self._step = step
        self._count = 0

    def around(self, node: ast.expr, before: str, after: str) -> _Text:
        self._added.append((self._starts[node.lineno - 1] + node.col_offset, before))
        self._added.append((self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0), after))
        return self

    def kept(self, node: ast.expr) -> str:
        """Has the value kept; gives the name that it is kept by."""
        self._count += 1
        name = f"{KEPT}_{self._step}_{self._count}"
        self.around(node, f"({name} := (", "))")
        return name

    def statement(self, node: ast.stmt, *, reread: bool) -> str | None:
        """The expression that gives a simple statement's value after it. With `reread`, it is known to have run."""
        if isinstance(node, ast.Assign) or isinstance(node, ast.AnnAssign) and node.value is not None:
            target = node.targets[-1] if isinstance(node, ast.Assign) else node.target
            assert node.value is not None
            return target.id if reread and isinstance(target, ast.Name) else self.kept(node.value)
        if isinstance(node, ast.AugAssign) and _simple(node.target):
            target_text = ast.unparse(node.target)
            return target_text if reread else f"({self.kept(node.value)}, {target_text})[1]"
        return None

    def branches(self, node: ast.If) -> list[str]:
        """The expressions for what the branch that ran came to, the latest first."""
        found: list[str] = []
        for statement in [*node.body, *node.orelse]:
            if isinstance(statement, ast.If):
                found[:0] = self.branches(statement)
            elif isinstance(statement, ast.Expr):
                found.insert(0, self.kept(statement.value))
            elif (one := self.statement(statement, reread=False)) is not None:
                found.insert(0, one)
        return found

    def written(self, last: str) -> str:
        parts, at = [], 0
        for place, added in sorted(self._added, key=lambda one: one[0]):
            parts += [self._data[at:place].decode(), added]
            at = place
        parts.append(self._data[at:].decode())
        text = "".join(parts).rstrip()
        return f"{text}\n{last}" if last else text


def _assigned(body: Sequence[ast.stmt]) -> list[str]:
    """What a loop's body assigns that can be read after the loop, the latest first."""
    found: list[str] = []
    for statement in reversed(body):
        if isinstance(statement, ast.If):
            found += [*_assigned(statement.orelse), *_assigned(statement.body)]
        elif isinstance(statement, ast.For):
            found += _assigned(statement.body)
        elif isinstance(statement, ast.Assign) and _simple(statement.targets[-1]):
            return [*found, ast.unparse(statement.targets[-1])]
        elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)) and statement.value is not None and _simple(statement.target):
            return [*found, ast.unparse(statement.target)]
    return found


def _simple(node: ast.expr) -> bool:
    """Whether reading it again does nothing."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_simple(one) for one in node.elts)
    if isinstance(node, ast.Subscript):
        return _simple(node.value) and _simple(node.slice)
    if isinstance(node, ast.Attribute):
        return _simple(node.value)
    return isinstance(node, (ast.Name, ast.Constant))
