"""An executor for smolagents that a step cannot freeze.

    from antifreeze.smolagents import BoundedPythonExecutor
    from smolagents import CodeAgent

    agent = CodeAgent(tools=[], model=model, executor=BoundedPythonExecutor([]))

`BoundedPythonExecutor` takes the arguments of smolagents' `LocalPythonExecutor`, and antifreeze's. Code runs in a CPython of its own,
not in an interpreter written in Python: all of the language works, and what is not authorized to be imported is refused by name. Code
that provably exceeds the limits is rejected before it starts; what freezes is stopped on time, and the variables are as they were before.
Tools, managed agents and additional functions are called in this process.
"""

from __future__ import annotations

import ast
import base64
import builtins
import contextlib
import itertools
import json
import operator
import pickle
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from importlib.util import find_spec
from types import FunctionType, MethodType
from typing import Any

from smolagents.local_python_executor import (
    BASE_BUILTIN_MODULES,
    BASE_PYTHON_TOOLS,
    DEFAULT_MAX_LEN_OUTPUT,
    MAX_EXECUTION_TIME_SECONDS,
    CodeOutput,
    ExecutionTimeoutError,
    InterpreterError,
    PrintContainer,
    PythonExecutor,
    check_import_authorized,
)
from smolagents.utils import truncate_content

from . import _inside
from ._authorized import WAYS_OUT, Authorized
from ._last import with_report
from ._limits import Limits
from ._outcome import Outcome
from ._session import Session
from ._telemetry import Sentry

__all__ = ["BoundedPythonExecutor", "SessionValue", "StepStopped", "StepTimedOut"]

# Longer than any process lives.
NO_TIMEOUT = 1e8
INSIDE = "antifreeze._inside"
HOST = "_antifreeze_host"
END = object()
# Of these errors the session knows more than their messages.
EXPLAINED = {"NameError", "KeyError", "IndexError", "TypeError"}
# What the code may do with a value that stays here, besides calling it and asking for its next item.
OPERATIONS: dict[str, Callable[..., Any]] = {"getitem": operator.getitem, "iter": iter, "len": len}
# What is another class's, or has lost something, after its safe form was read.
_CHANGED = re.compile(r'"__type__": "(dataclass|namedtuple|deque|DataFrame|Series|Index|Timestamp|Timedelta)"')


class StepStopped(InterpreterError):
    """The step was rejected, or stopped at a limit. `outcome` tells all."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


class StepTimedOut(StepStopped, ExecutionTimeoutError):
    """The step was stopped at the deadline."""


class SessionValue:
    """A value that cannot travel safely and stays in the session. It looks like itself, and has those of its attributes that can travel."""

    def __init__(self, data: Mapping[str, Any], received: Callable[[Mapping[str, Any]], Any]) -> None:
        for name, told in (data.get("attributes") or {}).items():
            if not hasattr(type(self), name):
                setattr(self, name, received(told))
        self._str = data.get("str")
        self.__doc__ = data.get("doc")
        self.repr = data["repr"]
        self.type = data["type"]
        self.why = data["why"]
        if data.get("name"):
            self.__name__ = data["name"]
        if data.get("source"):
            # As smolagents' own executor writes it.
            self.__source__ = data["source"].strip()
            with contextlib.suppress(SyntaxError):
                self.__source__ = ast.unparse(ast.parse(self.__source__))

    def __repr__(self) -> str:
        return self.repr

    def __str__(self) -> str:
        return self.repr if self._str is None else self._str


# A dict for whoever asks, of which nothing is the dict's own.
_Variables: Any = type("_Variables", (MutableMapping, dict), {})


class _State(_Variables):
    """The session's variables, read when they are asked for. What is set here is sent before the next step."""

    def __init__(self, executor: BoundedPythonExecutor) -> None:
        self._executor = executor
        self._own: dict[str, Any] = {"__name__": "__main__"}

    def __getitem__(self, name: str) -> Any:
        return self._own[name] if name in self._own else self._executor._fetch(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._executor.send_variables({name: value})

    def __delitem__(self, name: str) -> None:
        if self._own.pop(name, None) is None:
            self._executor._delete(name)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._own, *self._executor._names()])

    def __len__(self) -> int:
        return len(self._own) + len(self._executor._names())

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._executor._names()

    def __repr__(self) -> str:
        return repr(dict(self))

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    def copy(self) -> dict[str, Any]:
        return dict(self)


class BoundedPythonExecutor(PythonExecutor):
    """smolagents' `PythonExecutor`, bounded: a step is always released on time, and its variables survive it.

    Args:
        additional_authorized_imports: modules the code may import besides smolagents' own list; `"*"` allows all.
        max_print_outputs_length: the most characters of printed output that are kept.
        additional_functions: functions of this process that the code can call by these names.
        timeout_seconds: seconds for a step; None switches the deadline off.
        limits: the limits besides the deadline; the next four override single ones (bytes, bits, bytes, a count).
        gate: whether code that provably exceeds a limit is rejected.
        guards: whether integer operations are checked while a step runs.
        confine: whether the code may write to its working folder only, and reach no network and no other process.
        preload: modules to import ahead.
        python, cwd, env, sentry_dsn, sentry_send_code, sentry: as for `antifreeze.Session`. The interpreter needs this package.
    """

    def __init__(
        self,
        additional_authorized_imports: Sequence[str] = (),
        max_print_outputs_length: int | None = None,
        additional_functions: Mapping[str, Callable[..., Any]] | None = None,
        timeout_seconds: float | None = MAX_EXECUTION_TIME_SECONDS,
        *,
        limits: Limits | None = None,
        memory: int | None = None,
        int_bits: int | None = None,
        output: int | None = None,
        processes: int | None = None,
        gate: bool = True,
        guards: bool = True,
        confine: bool = False,
        preload: Sequence[str] = (),
        python: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        sentry_dsn: str | None = None,
        sentry_send_code: bool | None = None,
        sentry: Sentry | None = None,
    ) -> None:
        self.additional_authorized_imports = list(additional_authorized_imports)
        self.authorized_imports = list(set(BASE_BUILTIN_MODULES) | set(self.additional_authorized_imports))
        missing = sorted(base for name in self.authorized_imports if name != "*" and find_spec(base := name.split(".")[0]) is None)
        if missing:
            raise InterpreterError(
                f"Non-installed authorized modules: {', '.join(missing)}. "
                f"Please install these modules or remove them from the authorized imports list."
            )
        self.max_print_outputs_length = DEFAULT_MAX_LEN_OUTPUT if max_print_outputs_length is None else max_print_outputs_length
        self.additional_functions = dict(additional_functions or {})
        self.timeout_seconds = timeout_seconds
        self._state = _State(self)
        self.last_outcome: Outcome | None = None
        self._tools: dict[str, Callable[..., Any]] = {}
        # With their texts.
        self._variables: dict[str, tuple[Any, str]] = {}
        self._unsent: dict[str, tuple[Any, str]] = {}
        # What had to stay here, by the numbers that the session knows.
        self._kept: dict[int, Any] = {}
        self._numbers = itertools.count(1)
        # Texts that come in parts, by numbers of the session's.
        self._parts: dict[str, list[str]] = {}
        # What the session said of all variables since the last step.
        self._seen: dict[str, Any] | None = None
        self._session: Session | None = None
        self._ready = False
        self._steps = 0
        self._lock = threading.RLock()
        everything = "*" in self.authorized_imports
        self._authorized = None if everything else Authorized(self.authorized_imports)
        self._options: dict[str, Any] = {
            "limits": limits,
            "timeout": NO_TIMEOUT if timeout_seconds is None else timeout_seconds,
            "memory": memory,
            "int_bits": int_bits,
            "output": output,
            "processes": processes,
            "gate": gate,
            "guards": guards,
            "confine": confine,
            "preload": [INSIDE, *preload],
            "allowed_imports": None if everything else [INSIDE, "math", *(name.removesuffix(".*") for name in self.authorized_imports)],
            "python": python,
            "cwd": cwd,
            "env": env,
            "sentry_dsn": sentry_dsn,
            "sentry_send_code": sentry_send_code,
            "sentry": sentry,
        }

    def send_tools(self, tools: Mapping[str, Callable[..., Any]]) -> None:
        """Makes tools and managed agents callable by their names, besides the additional functions.

        Builtins are the session's own: given as tools, they may be called where they would be refused.
        """
        with self._lock:
            self._tools = {**tools}
            self._ready = False

    def send_variables(self, variables: Mapping[str, Any]) -> None:
        """Gives variables values before the next step.

        Raises:
            InterpreterError: a value cannot be sent to the session.
        """
        texts = {name: self._sent(name, value) for name, value in variables.items()}
        with self._lock:
            for name, value in variables.items():
                self._variables[name] = self._unsent[name] = value, texts[name]

    def __call__(self, code_action: str) -> CodeOutput:
        with self._lock:
            return self._step(code_action)

    @property
    def state(self) -> dict[str, Any]:
        """The session's variables, as a dict: they are read, set and deleted in the session."""
        return self._state

    @state.setter
    def state(self, variables: Mapping[str, Any]) -> None:
        kept = dict(variables)
        for name in set(self._state) - set(kept) - {"__name__"}:
            del self._state[name]
        self._state.update({name: value for name, value in kept.items() if name not in self._state._own})

    @property
    def static_tools(self) -> dict[str, Callable[..., Any]]:
        """What the code can call by name besides Python's builtins, as smolagents' own executor shows it."""
        return {**BASE_PYTHON_TOOLS, **self._tools, **self.additional_functions}

    def cleanup(self) -> None:
        """Ends the session."""
        with self._lock:
            if self._session is not None:
                self._session.close()
            self._session, self._ready, self._seen = None, False, None

    def _step(self, code: str) -> CodeOutput:
        self._seen = None
        self._parts.clear()
        self._state._own["_print_outputs"] = PrintContainer()
        tree = self._parse(code)
        self._refuse_imports(code, tree)
        self._refuse_erasing(code, tree)
        if self._authorized is not None and (refused := self._authorized.refused(tree, self.static_tools)) is not None:
            raise _failed(code, *refused)
        session = self._prepared()
        self._steps += 1
        timeout = NO_TIMEOUT if self.timeout_seconds is None else self.timeout_seconds
        outcome = session.run(with_report(code, tree, self._steps), timeout=timeout)
        self.last_outcome = outcome
        self._advance(outcome)
        printed = self._state["_print_outputs"]
        printed.value = truncate_content(outcome.stdout, max_length=self.max_print_outputs_length)
        logs = str(printed)
        if outcome.error is not None and outcome.error.type == f"{INSIDE}.FinalAnswer":
            told = session.run("_antifreeze_answer()").raise_for_status().result
            return CodeOutput(output=self._received(told), logs=logs, is_final_answer=True)
        if not outcome.finished:
            raise self._failure(outcome, code, tree)
        # `sys.exit(0)` ends a step before its report.
        told = outcome.result or {"last": {"value": "safe:null"}, "answer": None}
        if told["answer"] is not None:
            return CodeOutput(output=self._received(told["answer"]), logs=logs, is_final_answer=True)
        return CodeOutput(output=self._received(told["last"]), logs=logs, is_final_answer=False)

    def _parse(self, code: str) -> ast.Module:
        try:
            return ast.parse(code)
        except SyntaxError as error:
            raise InterpreterError(
                f"Code parsing failed on line {error.lineno} due to: {type(error).__name__}: {error}\n"
                f"{error.text}{' ' * (error.offset or 0)}^"
            ) from None
        except ValueError as error:
            # A NUL, for a Python before 3.12, or half a surrogate pair.
            raise InterpreterError(f"Code parsing failed due to: {type(error).__name__}: {error}") from None

    def _refuse_imports(self, code: str, tree: ast.Module) -> None:
        for statement in tree.body:
            for how, name in _imported(statement):
                if not check_import_authorized(name, self.authorized_imports):
                    raise _failed(code, statement, f"Import {how} {name} is not allowed. Authorized imports are: {self.authorized_imports}")

    def _refuse_erasing(self, code: str, tree: ast.Module) -> None:
        """A tool whose name is taken is gone for all steps to come."""
        tools = {**self._tools, **self.additional_functions}
        for statement in tree.body:
            for name in _taken(statement):
                if name in tools:
                    raise _failed(code, statement, f"Cannot assign to name '{name}': doing this would erase the existing tool!")

    def _prepared(self) -> Session:
        if self._session is None:
            self._session = Session(tools={HOST: self._call}, **self._options)
        if not self._ready:
            self._set_up(self._session)
        unsent, self._unsent = self._unsent, {}
        if unsent:
            self._deliver(self._session, unsent)
        return self._session

    def _deliver(self, session: Session, unsent: Mapping[str, tuple[Any, str]]) -> None:
        lines, texts = [], {}
        for name, (value, text) in unsent.items():
            if name == "__name__":
                continue
            if value is None or type(value) in (bool, int) and -(1 << 63) <= value < 1 << 63:
                # The gate knows what it can read.
                lines.append(f"{name} = {value!r}")
            else:
                texts[name] = text
                lines.append(f"{name} = _antifreeze_arrive({name!r})")
        if texts:
            session.set("_antifreeze_arriving", texts)
        if lines:
            self._internal(session, "\n".join(lines))

    def _set_up(self, session: Session) -> None:
        """Defines what the code can call."""
        tools = {name: tool for name, tool in {**self._tools, **self.additional_functions}.items() if not _is_the_sessions(name, tool)}
        given = "answer arrive explain fetch finish make_getattr make_tool set_host set_up settle values".split()
        lines = [f"from {INSIDE} import {', '.join(f'{name} as _antifreeze_{name}' for name in given)}"]
        functions = {name: tool for name, tool in BASE_PYTHON_TOOLS.items() if getattr(tool, "__module__", None) == "math"}
        lines += [f"from math import {tool.__name__} as {name}" for name, tool in functions.items()]
        names = [*functions, *tools]
        if self._authorized is not None and "getattr" not in tools:
            lines.append(f"getattr = _antifreeze_make_getattr({self.authorized_imports!r}, {sorted(WAYS_OUT)!r})")
            names.append("getattr")
        lines.append(f"_antifreeze_set_host({HOST})")
        lines += [f"{name} = _antifreeze_make_tool({name!r}, {name == 'final_answer'})" for name in tools]
        lines.append(f"_antifreeze_set_up({names!r}, {sys.path!r})")
        self._internal(session, "\n".join(lines))
        self._ready = True

    def _internal(self, session: Session, code: str) -> None:
        outcome = session.run(code)
        self._advance(outcome)
        if not outcome.finished:
            raise StepStopped(outcome.message, outcome)

    def _advance(self, outcome: Outcome) -> None:
        if outcome.state == "lost":
            # What the host had sent is sent again to the session that comes.
            self._ready = False
            self._unsent = dict(self._variables)

    def _call(self, name: str, packed: str) -> str:
        """A tool is called, on a thread of the session's."""
        how, _, number = name.partition(":")
        if how == "part":
            self._parts.setdefault(number, []).append(packed)
            return ""
        if packed.startswith("parts:"):
            packed = self._whole(packed.removeprefix("parts:"))
        args, kwargs = _inside.load_plain(packed, self._back)
        try:
            if how == "next" and number:
                given = next(self._kept[int(number)], END)
                return self._sent("an item", [] if given is END else [given])
            if how in OPERATIONS and number:
                return self._sent("it", OPERATIONS[how](self._kept[int(number)], *args))
            tool = self._kept[int(number)] if number else {**self._tools, **self.additional_functions}[name]
            given = tool(*args, **kwargs)
            if name == "final_answer":
                # It is here already: nothing of it need travel.
                return "safe:" + json.dumps(self._kept_as(given, "the answer"))
            return self._sent(f"what {name} gave", given)
        except Exception as error:
            return _raised(error)

    def _sent(self, what: str, value: Any) -> str:
        """A value's text for the session. It comes from the host, so that it may be pickled where its safe form would not be itself again."""
        text = None
        with contextlib.suppress(Exception):
            text = _inside.dump(value, decays=False)
            if _CHANGED.search(text) is None:
                return text
        pickled = None if isinstance(value, (FunctionType, MethodType)) else _pickled(value)
        if pickled is not None:
            return pickled
        try:
            return text or _inside.dump(value, self._keep)
        except Exception as error:
            raise InterpreterError(f"{what} is a {type(value).__name__}, which cannot be sent to the session: {error}") from None

    def _keep(self, value: Any) -> dict[str, Any]:
        """What the session is told of a value that stays here."""
        attributes = {}
        fields = {} if isinstance(value, (FunctionType, MethodType)) else getattr(value, "__dict__", {})
        for name, item in [*fields.items()][:100]:
            with contextlib.suppress(Exception):
                if not name.startswith("_"):
                    attributes[name] = json.loads(_inside.dump(item).removeprefix("safe:"))
        try:
            shown = repr(value)[:20_000]
        except Exception:
            shown = f"<{type(value).__name__}>"
        can = [how for how in ("call", "next", *OPERATIONS) if hasattr(type(value), f"__{how}__")]
        return {**self._kept_as(value, shown), "can": can, "attributes": attributes}

    def _kept_as(self, value: Any, shown: str) -> dict[str, Any]:
        number = next((number for number, one in [*self._kept.items()] if one is value), 0) or next(self._numbers)
        self._kept[number] = value
        return {"__type__": "host", "id": number, "name": type(value).__name__, "repr": shown, "can": [], "attributes": {}}

    def _back(self, told: Mapping[str, Any]) -> Any:
        return self._kept[told["id"]]

    def _whole(self, number: str) -> str:
        return "".join(self._parts.pop(number))

    def _received(self, told: Mapping[str, Any]) -> Any:
        text = self._whole(str(told["parts"])) if "parts" in told else told.get("value")
        return SessionValue(told, self._received) if text is None else _inside.load_plain(text, self._back)

    def _fetch(self, name: object) -> Any:
        if not isinstance(name, str) or not name.isidentifier():
            raise KeyError(name)
        with self._lock:
            if name in self._unsent:
                return self._unsent[name][0]
            told = self._seen.get(name) if self._seen is not None else None
            if told is not None:
                return self._received(told)
            outcome = self._asked(f"_antifreeze_fetch({name!r})")
            if outcome is None or outcome.error is not None and outcome.error.type == "NameError":
                raise KeyError(name)
            return self._received(outcome.raise_for_status().result)

    def _names(self) -> list[str]:
        """The names of the session's variables, and of those that are to be sent."""
        with self._lock:
            if self._seen is None:
                outcome = self._asked("_antifreeze_values()")
                self._seen = {} if outcome is None else outcome.raise_for_status().result
            return [*dict.fromkeys([*self._seen, *(name for name in self._unsent if name != "__name__")])]

    def _delete(self, name: str) -> None:
        with self._lock:
            sent = self._variables.pop(name, None)
            if self._unsent.pop(name, None) is None and sent is None and name not in self._names():
                raise KeyError(name)
            if name in self._names():
                self._asked(f"del {name}")
                self._seen = None

    def _asked(self, code: str) -> Outcome | None:
        """What the session says, if there is one that knows of this executor."""
        if self._session is None or not self._ready:
            return None
        # A step that was undone may have left some, by numbers that come again.
        self._parts.clear()
        outcome = self._session.run(code)
        self._advance(outcome)
        return outcome

    def _failure(self, outcome: Outcome, code: str, tree: ast.Module) -> InterpreterError:
        words = f"Code execution exceeded the maximum execution time of {self.timeout_seconds} seconds"
        message = _in_own_words(outcome, code)
        if outcome.outcome == "timed_out":
            return StepTimedOut(f"{words}. {message}", outcome)
        if outcome.outcome == "rejected" and outcome.limit is not None and outcome.limit.name == "timeout":
            return StepTimedOut(f"{message}\nIf it ran, this would be its end: {words}.", outcome)
        if outcome.error is None or outcome.stopped or outcome.outcome in {"rejected", "internal"}:
            return StepStopped(message, outcome)
        line = _outermost_line(outcome)
        statements = [one for one in tree.body if line is not None and one.lineno <= line <= (one.end_lineno or line)]
        kind = outcome.error.type.rpartition(".")[2]
        told: dict[str, Any] = {}
        if outcome.state != "lost" and (kind in EXPLAINED or len(statements) > 1 and kind != "SystemExit"):
            asked = self._asked("_antifreeze_explain()")
            told = (asked.result if asked is not None and asked.finished else None) or {}
        # Of several on a line the one that the column is in, where it is known: since Python 3.11.
        before = [one for one in statements if (one.lineno, one.col_offset) <= (line or 0, told.get("column") or 0)]
        statement = before[-1] if before else statements[0] if statements else None
        return _failed(code, statement, *_cause(outcome, tree, statement, kind, told))


def _cause(outcome: Outcome, tree: ast.Module, statement: ast.stmt | None, kind: str, told: Mapping[str, Any]) -> tuple[str, str]:
    """What an exception says, with what smolagents' own executor would add: a model is told more than CPython tells it."""
    assert outcome.error is not None
    message = outcome.error.message
    if outcome.state == "lost":
        return f"{message} All variables are lost.", kind
    if kind == "AssertionError" and not message:
        tests = [one.test for one in ast.walk(tree) if isinstance(one, ast.Assert) and one.lineno == outcome.error.line]
        return f"Assertion failed: {ast.unparse(tests[0])}" if tests else message, kind
    close = told.get("close") or []
    if kind == "NameError" and (found := re.fullmatch(r"name '(\w+)' is not defined", message)) is not None:
        name = found[1]
        if isinstance(statement, ast.Delete) and any(isinstance(one, ast.Name) and one.id == name for one in statement.targets):
            return f"Cannot delete name '{name}': name is not defined", "InterpreterError"
        meant = f" Maybe you meant one of these names instead: {close}" if close else ""
        if any(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name for one in ast.walk(tree)):
            return f"{_forbidden(name)}.{meant}" if meant else _forbidden(name), "InterpreterError"
        return f"The variable `{name}` is not defined.{meant}", "InterpreterError"
    if "index" in told:
        meant = f". Maybe you meant one of these indexes instead: {close}" if close else ""
        return f"{told['index']}: {kind}: {message}{meant}", "InterpreterError"
    return message, kind


def _imported(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            yield from (("of", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield "from", node.module


def _taken(statement: ast.AST) -> Iterator[str]:
    """The names of the module's that a statement gives to something else. An import may replace a tool, as it may with smolagents."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        yield from (name for node in ast.walk(statement) if isinstance(node, ast.Global) for name in node.names)
    elif isinstance(statement, ast.Name):
        if not isinstance(statement.ctx, ast.Load):
            yield statement.id
    elif isinstance(statement, ast.comprehension):
        for part in [statement.iter, *statement.ifs]:
            yield from _taken(part)
    elif not isinstance(statement, (ast.Lambda, ast.alias)):
        # Of handlers and of patterns.
        named = getattr(statement, "name", None) or getattr(statement, "rest", None)
        if isinstance(named, str):
            yield named
        for node in ast.iter_child_nodes(statement):
            yield from _taken(node)


def _failed(code: str, statement: ast.stmt | None, message: str, kind: str = "InterpreterError") -> InterpreterError:
    """The error of a step in smolagents' words."""
    segment = ast.get_source_segment(code, statement) if statement is not None else None
    where = f"at line '{segment}' " if segment else ""
    return InterpreterError(f"Code execution failed {where}due to: {kind}: {message}")


def _forbidden(name: str) -> str:
    return f"Forbidden function evaluation: '{name}' is not among the explicitly allowed tools or defined/imported in the preceding code"


def _in_own_words(outcome: Outcome, code: str) -> str:
    """The outcome's message, with lines as the code has them."""
    message, lines = outcome.message, code.splitlines()
    for frame in outcome.stack or []:
        if frame.source is not None and "_antifreeze_" in frame.source and frame.line <= len(lines):
            message = message.replace(frame.source.strip(), lines[frame.line - 1].strip())
    return message


def _is_the_sessions(name: str, tool: Any) -> bool:
    """Whether the session has the same: a builtin called by its own name."""
    return tool is getattr(builtins, name, None) or tool is BASE_PYTHON_TOOLS.get(name)


def _outermost_line(outcome: Outcome) -> int | None:
    trace = outcome.error.traceback if outcome.error is not None else None
    lines = re.findall(r'^  File "<[^"]*>", line (\d+), in <module>$', trace or "", re.MULTILINE)
    if lines:
        return int(lines[0])
    return outcome.error.line if outcome.error is not None else None


def _pickled(value: Any) -> str | None:
    try:
        data = pickle.dumps(value)
    except Exception:
        return None
    # The session has another main module, and finding smolagents there takes long.
    return None if b"__main__" in data or b"smolagents" in data else "pickle:" + base64.b64encode(data).decode()


def _raised(error: Exception) -> str:
    """What the session is told of an exception of a tool's, so that the code can catch it as what it is."""
    base = next(kind for kind in type(error).__mro__ if kind is getattr(builtins, kind.__name__, None))
    try:
        args = _inside.dump(list(error.args))
    except Exception:
        args = _inside.dump([str(error)])
    told = {"name": type(error).__name__, "base": base.__name__, "args": args, "message": str(error)}
    return "raise:" + json.dumps({**told, "pickled": None if base is type(error) else _pickled(error)})
