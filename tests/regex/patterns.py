"""Prints the patterns that Python files give to `re`, and what else is written as a raw string and looks like one, a line of JSON each: the
pattern, its flags, the function.

    patterns.py MOST [FOLDER…]     (without folders: the standard library)
"""
import ast
import json
import os
import re
import sys
import warnings

warnings.simplefilter("ignore")
FUNCTIONS = {"compile": "search", "match": "match", "search": "search", "fullmatch": "fullmatch", "findall": "finditer", "finditer": "finditer"}
FUNCTIONS |= {"sub": "finditer", "subn": "finditer", "split": "finditer"}
FLAGS = {"I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "A", "ASCII", "U", "UNICODE"}


def flags_of(node):
    if isinstance(node, ast.Attribute) and node.attr in FLAGS:
        return int(getattr(re, node.attr))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        a, b = flags_of(node.left), flags_of(node.right)
        return None if a is None or b is None else a | b
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    return None


def text_of(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        a, b = text_of(node.left), text_of(node.right)
        return None if a is None or b is None else a + b
    return None


def patterns(path):
    try:
        with open(path, encoding="utf-8") as f:
            source = f.read()
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return
    lines = source.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and 3 < len(node.value) < 400:
            start = lines[node.lineno - 1].encode()[node.col_offset :][:1]
            if start in b"rR" and any(c in node.value for c in "*+{") and any(c in node.value for c in "\\[(^$"):
                yield node.value, 0, "search"
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FUNCTIONS and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id in ("re", "_re")):
            continue
        pattern = text_of(node.args[0])
        flags = 0
        place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(node.func.attr, 2)
        for given in node.args[place : place + 1] + [k.value for k in node.keywords if k.arg == "flags"]:
            flags = flags_of(given)
        if pattern is not None and flags is not None:
            yield pattern, flags, FUNCTIONS[node.func.attr]


def main():
    most = int(sys.argv[1])
    folders = sys.argv[2:] or [os.path.dirname(os.__file__)]
    seen = set()
    for folder in folders:
        for root, dirs, files in os.walk(folder):
            dirs[:] = sorted(d for d in dirs if d not in ("__pycache__", "idlelib") and (len(sys.argv) > 2 or d != "site-packages"))
            for name in sorted(files):
                if not name.endswith(".py"):
                    continue
                for found in patterns(os.path.join(root, name)):
                    try:
                        re.compile(found[0], found[1])
                        found[0].encode()
                    except Exception:
                        continue
                    if found not in seen:
                        seen.add(found)
                        print(json.dumps(found))
                        if len(seen) >= most:
                            return


main()
