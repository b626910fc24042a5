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
import contextlib
import pickle
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
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
from smolagents.serialization import SafeSerializer, SerializationError
from smolagents.utils import truncate_content

from ._authorized import Authorized
from ._limits import Limits
from ._outcome import Outcome
from ._session import Session
from ._telemetry import Sentry

__all__ = ["BoundedPythonExecutor", "SessionValue", "StepStopped", "StepTimedOut"]

# Longer than any process lives.
NO_TIMEOUT = 1e8
INSIDE = "antifreeze._inside"
HOST = "_antifreeze_host"


class StepStopped(InterpreterError):
    """The step was rejected, or stopped at a limit. `outcome` tells all."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


class StepTimedOut(StepStopped, ExecutionTimeoutError):
    """The step was stopped at the deadline."""


class SessionValue:
    """A value that cannot travel safely and stays in the session. It looks like itself."""

    def __init__(self, data: Mapping[str, Any]) -> None:
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


class _State(dict):  # type: ignore[type-arg]
    """The session's variables, read when they are asked for. What is set here is sent before the next step."""

    def __init__(self, executor: BoundedPythonExecutor) -> None:
        super().__init__({"__name__": "__main__"})
        self._executor = executor

    def __missing__(self, name: str) -> Any:
        return self._executor._fetch(name)

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        try:
            self._executor._fetch(name)
        except KeyError:
            return False
        return True

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __setitem__(self, name: str, value: Any) -> None:
        self._executor.send_variables({name: value})

    def update(self, *args: Any, **kwargs: Any) -> None:
        self._executor.send_variables(dict(*args, **kwargs))

    def _own(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)


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
        missing = sorted(
            base for name in self.authorized_imports if name != "*" and find_spec(base := name.split(".")[0]) is None
        )
        if missing:
            raise InterpreterError(
                f"Non-installed authorized modules: {', '.join(missing)}. "
                f"Please install these modules or remove them from the authorized imports list."
            )
        self.max_print_outputs_length = DEFAULT_MAX_LEN_OUTPUT if max_print_outputs_length is None else max_print_outputs_length
        self.additional_functions = dict(additional_functions or {})
        self.timeout_seconds = timeout_seconds
        self.state: dict[str, Any] = _State(self)
        self.last_outcome: Outcome | None = None
        self._tools: dict[str, Callable[..., Any]] = {}
        self._variables: dict[str, Any] = {}
        self._unsent: dict[str, Any] = {}
        self._session: Session | None = None
        self._ready = False
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
        """Makes tools and managed agents callable by their names, besides the additional functions."""
        with self._lock:
            self._tools = {**tools}
            self._ready = False

    def send_variables(self, variables: Mapping[str, Any]) -> None:
        """Gives variables values before the next step."""
        with self._lock:
            self._variables.update(variables)
            self._unsent.update(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        with self._lock:
            return self._step(code_action)

    @property
    def static_tools(self) -> dict[str, Callable[..., Any]]:
        """What the code can call by name besides Python's builtins, as smolagents' own executor shows it."""
        return {**BASE_PYTHON_TOOLS, **self.additional_functions, **self._tools}

    def cleanup(self) -> None:
        """Ends the session."""
        with self._lock:
            if self._session is not None:
                self._session.close()
            self._session, self._ready = None, False

    def _step(self, code: str) -> CodeOutput:
        self.state._own("_print_outputs", PrintContainer())  # type: ignore[attr-defined]
        tree = self._parse(code)
        self._refuse_imports(code, tree)
        if self._authorized is not None:
            self._authorized.check(tree, self.static_tools)
        session = self._prepared()
        outcome = session.run(_with_report(code, tree))
        self.last_outcome = outcome
        self._advance(outcome)
        printed = self.state["_print_outputs"]
        printed.value = truncate_content(outcome.stdout, max_length=self.max_print_outputs_length)
        logs = str(printed)
        if outcome.error is not None and outcome.error.type == f"{INSIDE}.FinalAnswer":
            told = session.run("_antifreeze_answer()").raise_for_status().result
            return CodeOutput(output=_received(told), logs=logs, is_final_answer=True)
        if not outcome.finished:
            raise self._failure(outcome, code, tree)
        # `sys.exit(0)` ends a step before its report.
        told = outcome.result or {"last": {"value": "safe:null"}, "answer": None}
        if told["answer"] is not None:
            return CodeOutput(output=_received(told["answer"]), logs=logs, is_final_answer=True)
        return CodeOutput(output=_received(told["last"]), logs=logs, is_final_answer=False)

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
                    segment = ast.get_source_segment(code, statement)
                    raise InterpreterError(
                        f"Code execution failed at line '{segment}' due to: InterpreterError: Import {how} {name} is not allowed. "
                        f"Authorized imports are: {self.authorized_imports}"
                    )

    def _prepared(self) -> Session:
        if self._session is None:
            self._session = Session(tools={HOST: self._call}, **self._options)
        if not self._ready:
            self._set_up(self._session)
        if self._unsent:
            text = "\n".join(f"{name} = _antifreeze_load({_sent(name, value)!r})" for name, value in self._unsent.items() if name != "__name__")
            if text:
                self._internal(self._session, text)
            self._unsent = {}
        return self._session

    def _set_up(self, session: Session) -> None:
        """Defines what the code can call."""
        names = {**self.additional_functions, **self._tools}
        lines = [
            f"from {INSIDE} import answer as _antifreeze_answer, finish as _antifreeze_finish, "
            "load as _antifreeze_load, make_tool as _antifreeze_make_tool"
        ]
        mathematics = {name: tool for name, tool in BASE_PYTHON_TOOLS.items() if getattr(tool, "__module__", None) == "math"}
        lines += [f"from math import {tool.__name__} as {name}" for name, tool in mathematics.items()]
        lines += [f"{name} = _antifreeze_make_tool({name!r}, {HOST}, {name == 'final_answer'})" for name in names]
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
        args, kwargs = SafeSerializer.loads(packed)
        tool = self._tools.get(name) or self.additional_functions[name]
        return _sent(f"what {name} gave", tool(*args, **kwargs))

    def _fetch(self, name: object) -> Any:
        if not isinstance(name, str) or not name.isidentifier():
            raise KeyError(name)
        with self._lock:
            if name in self._unsent:
                return self._unsent[name]
            if self._session is None:
                raise KeyError(name)
            outcome = self._session.run(f"_antifreeze_finish({name})")
            self._advance(outcome)
            if outcome.error is not None and outcome.error.type == "NameError":
                raise KeyError(name)
            told = outcome.raise_for_status().result
            return _received(told["last"])

    def _failure(self, outcome: Outcome, code: str, tree: ast.Module) -> InterpreterError:
        words = f"Code execution exceeded the maximum execution time of {self.timeout_seconds} seconds"
        if outcome.outcome == "timed_out":
            return StepTimedOut(f"{words}. {outcome.message}", outcome)
        if outcome.outcome == "rejected" and outcome.limit is not None and outcome.limit.name == "timeout":
            return StepTimedOut(f"{outcome.message}\nIf it ran, this would be its end: {words}.", outcome)
        if outcome.error is None or outcome.stopped or outcome.outcome in {"rejected", "internal"}:
            return StepStopped(outcome.message, outcome)
        line = _outermost_line(outcome)
        statement = next((one for one in tree.body if line is not None and one.lineno <= line <= (one.end_lineno or line)), None)
        segment = ast.get_source_segment(code, statement) if statement is not None else None
        where = f"at line '{segment}' " if segment else ""
        lost = " All variables are lost." if outcome.state == "lost" else ""
        return InterpreterError(f"Code execution failed {where}due to: {outcome.error.type}: {outcome.error.message}{lost}")


def _imported(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            yield from (("of", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield "from", node.module


def _with_report(code: str, tree: ast.Module) -> str:
    """The code, followed by a call that tells the host the last statement's value. Lines stay where they are."""
    if not tree.body:
        return "_antifreeze_finish()"
    last = tree.body[-1]
    text = code.rstrip()
    if isinstance(last, ast.Expr):
        data = code.encode()
        starts = [0]
        for line in data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        start = starts[last.lineno - 1] + last.col_offset
        end = starts[(last.end_lineno or last.lineno) - 1] + (last.end_col_offset or 0)
        before, value, after = data[:start].decode(), data[start:end].decode(), data[end:].decode()
        return f"{before}_antifreeze_finish({value}){after.rstrip()}"
    name = None
    if isinstance(last, ast.Assign) and isinstance(last.targets[-1], ast.Name):
        name = last.targets[-1].id
    elif isinstance(last, (ast.AugAssign, ast.AnnAssign)) and isinstance(last.target, ast.Name) and last.value is not None:
        name = last.target.id
    elif isinstance(last, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        name = last.name
    return f"{text}\n_antifreeze_finish({name or ''})"


def _outermost_line(outcome: Outcome) -> int | None:
    trace = outcome.error.traceback if outcome.error is not None else None
    lines = re.findall(r'^  File "<[^"]*>", line (\d+), in <module>$', trace or "", re.MULTILINE)
    if lines:
        return int(lines[0])
    return outcome.error.line if outcome.error is not None else None


def _sent(what: str, value: Any) -> str:
    """A value's text for the session. It comes from the host, so that it may be pickled where it has no safe form."""
    with contextlib.suppress(SerializationError, RecursionError):
        return SafeSerializer.dumps(value)
    try:
        return "pickle:" + base64.b64encode(pickle.dumps(value)).decode()
    except Exception as error:
        raise InterpreterError(f"{what} is a {type(value).__name__}, which cannot be sent to the session: {error}") from None


def _received(told: Mapping[str, Any]) -> Any:
    return SafeSerializer.loads(told["value"]) if "value" in told else SessionValue(told)
