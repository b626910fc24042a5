#!/usr/bin/env python3
"""Writes the names of callables that COVERAGE.md is about, from several versions of CPython:

    cat <(python3.9 names.py) <(python3.13 names.py) | sort -u > names.txt
"""

import importlib

MODULES = ["builtins", "math", "operator", "functools", "itertools", "time", "random", "heapq", "bisect", "collections", "secrets"]
TYPES = [str, list, dict, set, frozenset, tuple, bytes, bytearray, int, float, bool, complex, range]
# Operators that are integers' own methods and count as the operator.
EXTRA = ["int.__pow__", "int.__lshift__", "int.__mul__"]
# Names of the interactive prompt.
LEFT_OUT = {"copyright", "credits", "exit", "license", "quit"}


def public(owner):
    return [name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name))]


for module in MODULES:
    for name in public(importlib.import_module(module)):
        if name not in LEFT_OUT:
            print(name if module == "builtins" else f"{module}.{name}")
for kind in TYPES:
    for name in public(kind):
        print(f"{kind.__name__}.{name}")
print("\n".join(EXTRA))
