"""Plants freezing snippets, and harmless twins of them, into copies of files of the running Python's standard library.

    planted.py FOLDER

writes the copies to FOLDER and prints one JSON object a line: the copy, the lines of the snippet, its kind, and the codes
of which one has to be reported there (none for a harmless twin). The same Python gives the same set.
"""

import ast
import json
import random
import sys
import sysconfig
import textwrap
from pathlib import Path

# Which of the three a loop without an exit is called is not the matter here.
LOOPS = "AF401 AF402 AF403"

# Kind, codes, freezing body, harmless twin. `{a}` to `{d}` are names, `{m}` is what `time` is imported as.
HAZARDS = [
    ("power", "AF101", "{a} = 10 ** 10 ** 8", "{a} = 10 ** 10 ** 4"),
    ("power", "AF101", "{a} = 7\n{b} = {a} ** 5_000_000", "{a} = 7\n{b} = {a} ** 5_000"),
    ("power", "AF101", "{a} = pow(3, 2 ** 24)", "{a} = pow(3, 2 ** 24, 1_000_007)"),
    ("power", "AF101", "import operator as {c}\n{a} = {c}.pow(2, 3_000_000)", "import operator as {c}\n{a} = {c}.pow(2, 3_000)"),
    ("power", "AF101", "{a} = 9\n{a} **= 9 ** 9", "{a} = 9\n{a} **= 9 * 9"),
    ("power", "AF101", "{c} = pow\n{a} = [{c}({b}, 10_000_000) for {b} in (2, 3)]", "{c} = pow\n{a} = [{c}({b}, 1000) for {b} in (2, 3)]"),
    ("shift", "AF102", "{a} = 1 << 40_000_000", "{a} = 1 << 400_000"),
    ("shift", "AF102", "{a} = 4_000_000\n{b} = 5 << {a} * 2", "{a} = 4_000\n{b} = 5 << {a} * 2"),
    ("shift", "AF102", "from operator import lshift as {c}\n{a} = {c}(3, 1 << 24)", "from operator import lshift as {c}\n{a} = {c}(3, 1 << 14)"),
    ("product", "AF103", "{a} = 3 ** 500_000\n{b} = {a} * {a}", "{a} = 3 ** 100_000\n{b} = {a} * {a}"),
    ("product", "AF103", "{a} = 2 ** 900_000\n{a} *= {a}", "{a} = 2 ** 400_000\n{a} *= {a}"),
    ("product", "AF103", "{a} = 3\nfor {b} in range(40):\n    {a} = {a} * {a}", "{a} = 3\nfor {b} in range(10):\n    {a} = {a} * {a}"),
    ("endless", LOOPS, "while True:\n    pass", "while True:\n    break"),
    ("endless", LOOPS, "{a} = 0\nwhile 1:\n    {a} += 1", "{a} = 0\nwhile 1:\n    {a} += 1\n    if {a} > 9:\n        break"),
    (
        "endless",
        LOOPS,
        "{a} = []\nwhile True:\n    for {b} in (1, 2, 3):\n        if {b} == 2:\n            break",
        "{a} = []\nwhile True:\n    for {b} in (1, 2, 3):\n        {a}.append({b})\n    if len({a}) > 20:\n        break",
    ),
    (
        "endless",
        LOOPS,
        "{a} = 5\nwhile True:\n    try:\n        {a} = 10 // 2\n    except ZeroDivisionError:\n        break",
        "{a} = 5\nwhile True:\n    try:\n        {a} = {a} - 1\n        10 // {a}\n    except ZeroDivisionError:\n        break",
    ),
    ("stuck", LOOPS, "{a} = 0\n{b} = 0\nwhile {a} < 10:\n    {b} += 1", "{a} = 0\n{b} = 0\nwhile {a} < 10:\n    {a} += 1"),
    ("stuck", LOOPS, "{a} = 3\nwhile {a} > 1:\n    str({a})", "{a} = 3\nwhile {a} > 1:\n    {a} = len(str({a}))"),
    (
        "stuck",
        LOOPS,
        "{a}, {b} = False, 0\nwhile not {a}:\n    {b} = {b} + 2",
        "{a}, {b} = False, 0\nwhile not {a}:\n    {b} = {b} + 2\n    {a} = {b} > 30",
    ),
    ("missed", LOOPS, "{a} = 0\nwhile {a} != 9:\n    {a} += 2", "{a} = 0\nwhile {a} != 8:\n    {a} += 2"),
    ("missed", LOOPS, "{a} = 0.0\nwhile {a} != 1.0:\n    {a} = ({a} + 0.4) % 1.1", "{a} = 0.0\nwhile {a} < 1.0:\n    {a} = {a} + 0.4"),
    ("missed", LOOPS, "{a} = 0\nwhile {a} < 2:\n    {a} *= 2", "{a} = 1\nwhile {a} < 2:\n    {a} *= 2"),
    (
        "missed",
        LOOPS,
        "{a}, {b}, {c} = 0, 10, 7\nwhile {a} < {b}:\n    {d} = ({a} + {b}) // 2\n    if {d} < {c}:\n        {a} = {d}\n    else:\n        {b} = {d}",
        "{a}, {b}, {c} = 0, 10, 7\nwhile {a} < {b}:\n    {d} = ({a} + {b}) // 2\n    if {d} < {c}:\n        {a} = {d} + 1\n    else:\n        {b} = {d}",
    ),
    ("long", "AF404", "for {a} in range(10 ** 12):\n    {b} = {a} + 1", "for {a} in range(10 ** 3):\n    {b} = {a} + 1"),
    ("long", "AF404", "{a} = 0\nwhile {a} < 10 ** 13:\n    {a} += 1", "{a} = 0\nwhile {a} < 10 ** 3:\n    {a} += 1"),
    (
        "long",
        "AF404",
        "{c} = 0\nfor {a} in range(1_000_000):\n    for {b} in range(1_000_000):\n        {c} += {a} * {b}",
        "{c} = 0\nfor {a} in range(100):\n    for {b} in range(100):\n        {c} += {a} * {b}",
    ),
    ("sleep", "AF501", "import time as {m}\n{m}.sleep(86_400)", "import time as {m}\n{m}.sleep(0.01)"),
    ("sleep", "AF501", "from time import sleep as {m}\n{m}(60 * 60)", "from time import sleep as {m}\n{m}(60 / 60)"),
    (
        "sleep",
        "AF501 AF404",
        "import time as {m}\nfor {a} in range(100):\n    {m}.sleep(5)",
        "import time as {m}\nfor {a} in range(100):\n    {m}.sleep(0.05)",
    ),
]

NAMES = ["n", "total", "value", "step", "x1", "_acc", "limit", "idx", "result", "größe", "cur", "lo", "w", "state"]
FUNCTIONS = ["_compute", "prepare", "warm_up", "check_all", "_probe", "solve", "run_once", "retry"]
FORMS = ["module", "called", "uncalled", "method", "branch"]
COUNT = 50


def dress(body, form, names, random):
    """A body as module-level code, in a function called at once, or in one that nobody calls."""
    function = random.choice(FUNCTIONS) + "_planted"
    inner = textwrap.indent(body, "    ")
    if form == "module":
        return body
    if form == "called":
        return f"def {function}():\n{inner}\n\n\n{function}()"
    if form == "uncalled":
        return f"def {function}({names[4]}, *, verbose=False):\n{inner}"
    if form == "method":
        return f"class {function.title()}:\n    def work(self):\n{textwrap.indent(inner, '    ')}"
    return f"def {function}({names[4]}):\n    if {names[4]}:\n{textwrap.indent(inner, '    ')}\n    return {names[4]}"


def places(text):
    """Lines before which a statement may stand, at the top level, after the imports at the beginning."""
    body = ast.parse(text).body
    starts = [min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) for node in body]
    first = 0
    for at, node in enumerate(body):
        docstring = at == 0 and isinstance(node, ast.Expr)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if docstring or future:
            first = at + 1
    lines = text.split("\n")
    # Two statements on one line have no line between them.
    return [n for at, n in enumerate(starts) if at >= first and (at == 0 or starts[at - 1] != n) and not lines[n - 1].startswith(" ")]


def candidates(random):
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(p for p in [*root.glob("*.py"), *root.glob("*/*.py")] if "site-packages" not in p.parts and "test" not in p.parts)
    out = []
    for path in files:
        if not 4_000 < path.stat().st_size < 200_000:
            continue
        try:
            text = path.read_text(encoding="utf-8")
            found = places(text)
        except (UnicodeDecodeError, SyntaxError):
            continue
        if len(found) > 3 and "\r" not in text and "\f" not in text:
            out.append((path, text, found))
    random.shuffle(out)
    return out


def main(folder):
    chance = random.Random(20_240_817)
    files = candidates(chance)
    for at in range(COUNT):
        kind, codes, frozen, harmless = HAZARDS[at % len(HAZARDS)]
        form = FORMS[(at + at // len(HAZARDS)) % len(FORMS)]
        path, text, found = files[at % len(files)]
        line = chance.choice(found)
        names = chance.sample(NAMES, 5)
        alias = chance.choice(["time", "clock", "_t", "pause"])
        seed = chance.random()
        for twin, body, wanted in [(False, frozen, codes.split()), (True, harmless, [])]:
            body = body.format(a=names[0], b=names[1], c=names[2], d=names[3], m=alias)
            planted = dress(body, form, names, random.Random(seed))
            lines = text.split("\n")
            lines[line - 1 : line - 1] = planted.split("\n")
            copy = folder / f"{at:02}_{kind}_{form}_{'harmless' if twin else 'frozen'}_{path.stem}.py"
            source = "\n".join(lines)
            ast.parse(source)
            copy.write_text(source, encoding="utf-8")
            row = {
                "file": copy.name,
                "first": line,
                "last": line + planted.count("\n"),
                "kind": kind,
                "form": form,
                "codes": wanted,
            }
            print(json.dumps(row))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
