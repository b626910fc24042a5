"""What smolagents refuses by name, found in code before it runs: ways from an object to its class, from a function to its frame, from
a module to one that is not authorized, and from there to the system.

smolagents' own executor looks at each value that it computes. Here code runs in CPython, and what is looked at is its text: modules, and
what hangs on them by attribute or constant key, are followed through the modules of this process. That is a convenience for agents that
stray, not a boundary: `confine` and limits bound what code can do.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from smolagents import local_python_executor as smolagents_executor
from smolagents.local_python_executor import InterpreterError, check_safer_result

# Other attributes with two underscores lead nowhere, and ordinary classes are written with them.
WAYS_OUT = frozenset(
    "__base__ __bases__ __builtins__ __class__ __closure__ __code__ __dict__ __dir__ __func__ __getattribute__ __globals__ __import__ "
    "__loader__ __mro__ __objclass__ __reduce__ __reduce_ex__ __self__ __spec__ __subclasses__ __traceback__ __wrapped__".split()
)
# Builtins that run text or reach outside; smolagents' own executor has none of them.
DANGEROUS = frozenset("__import__ breakpoint compile eval exec globals locals open".split())
# Nothing is imported here for its looks alone that does more than define names.
STANDARD = frozenset(getattr(sys, "stdlib_module_names", ())) - {"antigravity", "idlelib", "this", "turtle", "turtledemo"}
UNKNOWN = object()


class Authorized:
    """Knows, from step to step, which names are modules or come from modules."""

    def __init__(self, imports: Sequence[str]) -> None:
        self._imports = list(imports)
        self._names: dict[str, Any] = {}

    def refused(self, tree: ast.Module, tools: Mapping[str, Callable[..., Any]]) -> tuple[ast.stmt, str] | None:
        """The first statement that goes where the code may not, and why, in smolagents' words."""
        names = dict(self._names)
        # A function may be defined below the one that calls it.
        own = {*names, *tools, *_bound(tree)}
        for statement in tree.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and node.id in DANGEROUS and node.id not in own:
                    return statement, (
                        f"Forbidden function evaluation: '{node.id}' is not among the explicitly allowed tools or defined/imported in "
                        "the preceding code"
                    )
            try:
                _Walk(self._imports, names, tools).visit(statement)
            except InterpreterError as error:
                return statement, str(error)
        self._names = names
        return None


class _Walk(ast.NodeVisitor):
    def __init__(self, imports: list[str], names: dict[str, Any], tools: Mapping[str, Callable[..., Any]]) -> None:
        self._imports = imports
        self._names = names
        self._tools = tools

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            self._names[alias.asname or name] = _module(name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = _module(node.module or "")
        for alias in node.names:
            self._names[alias.asname or alias.name] = _attribute(module, alias.name)

    def visit_Assign(self, node: ast.Assign) -> None:
        value = self._value(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._names[target.id] = value
            else:
                self.visit(target)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._names[node.id] = UNKNOWN

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._names[node.name] = UNKNOWN
        self._each(node.decorator_list)
        self._inside(node.args, node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inside(node.args, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._each([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
        _Walk(self._imports, dict(self._names), self._tools)._each(node.body)
        self._names[node.name] = UNKNOWN

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        inside = _Walk(self._imports, dict(self._names), self._tools)
        inside._each(node.generators)
        inside._each([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._names[node.name] = UNKNOWN
        self.generic_visit(node)

    def _each(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _inside(self, parameters: ast.arguments, body: Sequence[ast.AST]) -> None:
        """A function's own names are its own."""
        self._each([*parameters.defaults, *(default for default in parameters.kw_defaults if default is not None)])
        names = dict(self._names)
        several = [one for one in (parameters.vararg, parameters.kwarg) if one is not None]
        for parameter in [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs, *several]:
            names[parameter.arg] = UNKNOWN
        _Walk(self._imports, names, self._tools)._each(body)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._value(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._value(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._value(node)

    def _value(self, node: ast.expr) -> Any:
        """What the expression is, where it is a module's; all of it is checked on the way."""
        value = UNKNOWN
        if isinstance(node, ast.Name):
            value = self._names.get(node.id, UNKNOWN)
        elif isinstance(node, ast.Attribute):
            # `type(x).__name__` by its longer way.
            named = node.attr == "__name__" and isinstance(node.value, ast.Attribute) and node.value.attr == "__class__"
            if named:
                node = node.value
            elif node.attr in WAYS_OUT:
                raise InterpreterError(f"Forbidden access to dunder attribute: {node.attr}")
            value = _attribute(self._value(node.value), node.attr)  # type: ignore[attr-defined]
            if named:
                return UNKNOWN
        elif isinstance(node, ast.Subscript):
            owner = self._value(node.value)
            self.visit(node.slice)
            if isinstance(owner, dict) and isinstance(node.slice, ast.Constant):
                value = owner.get(node.slice.value, UNKNOWN)
                if value is UNKNOWN and owner is sys.modules:
                    value = _module(str(node.slice.value))
        elif isinstance(node, ast.Call):
            value = self._called(node)
        else:
            self.visit(node)
        if value is not UNKNOWN:
            check_safer_result(value, self._tools, self._imports)
        return value

    def _called(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Attribute):
            # A method may be called where it may not be kept.
            called = _attribute(self._value(function.value), function.attr)
            if function.attr in WAYS_OUT and function.attr not in smolagents_executor.ALLOWED_DUNDER_METHODS:
                raise InterpreterError(f"Forbidden call to dunder function: {function.attr}")
        else:
            called = self._value(function)
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self._value(argument)
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if not texts:
            return sys._getframe() if called is sys._getframe else UNKNOWN
        if called is builtins.__import__ or called is importlib.import_module:
            return _module(texts[0])
        if isinstance(function, ast.Name) and function.id == "getattr" and function.id not in self._names:
            if texts[0] in WAYS_OUT:
                raise InterpreterError(f"Forbidden access to dunder attribute: {texts[0]}")
            return _attribute(self._value(node.args[0]), texts[0])
        return UNKNOWN


def _bound(tree: ast.Module) -> Iterator[str]:
    """The names that code gives to anything, anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def _module(name: str) -> Any:
    """A module as it is here. Others than the standard library's are not imported for it."""
    if name not in sys.modules and name.split(".")[0] in STANDARD:
        try:
            return importlib.import_module(name)
        except Exception:
            return UNKNOWN
    return sys.modules.get(name, UNKNOWN)


def _attribute(owner: Any, name: str) -> Any:
    if owner is UNKNOWN:
        return UNKNOWN
    if name == "f_builtins":
        return vars(builtins)
    if name == "modules" and owner is sys:
        return sys.modules
    if not isinstance(owner, ModuleType):
        return UNKNOWN
    # A module's own `__getattr__` is not asked.
    value = vars(owner).get(name, UNKNOWN)
    return value if isinstance(value, (ModuleType, dict)) or callable(value) else UNKNOWN
