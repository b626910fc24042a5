"""Times `re`. Reads lines of JSON, [pattern, flags, function, texts], and prints one for each: the seconds each text took, or null for what was
killed before, and whether a text of random pumps, 20 to 40 characters long, took over a second, or was killed.

Every line is run in a process of its own, with limits on its CPU time and memory that nothing in it can lift."""
import json
import os
import random
import re
import resource
import signal
import sys
import time
import warnings

try:
    from re import _parser as parser
except ImportError:
    import sre_parse as parser

warnings.simplefilter("ignore")
CPU = 3
TRIES = 40 if os.environ.get("ANTIFREEZE_SOAK") else 12
CHARS = "a0 _-.\n\"'/A,:=!"


def walk(items, rng, depth=0):
    """A text that the parsed pattern may match."""
    out = ""
    for op, av in items:
        op = str(op)
        if op == "LITERAL":
            out += chr(av)
        elif op in ("ANY", "NOT_LITERAL"):
            out += rng.choice([c for c in CHARS if op == "ANY" and c != "\n" or op != "ANY" and ord(c) != av])
        elif op == "IN":
            out += one_of(av, rng)
        elif op == "BRANCH":
            out += walk(rng.choice(av[1]), rng, depth + 1)
        elif op in ("SUBPATTERN",):
            out += walk(av[-1], rng, depth + 1)
        elif op == "ATOMIC_GROUP":
            out += walk(av, rng, depth + 1)
        elif "REPEAT" in op:
            low, high = int(av[0]), min(int(av[1]), int(av[0]) + 2)
            for _ in range(min(rng.randint(low, high), 40)):
                out += walk(av[2], rng, depth + 1)
                if len(out) > 200:
                    break
    return out


def one_of(items, rng):
    negate = str(items[0][0]) == "NEGATE"
    compiled = re.compile("[" + ("^" if negate else "") + "".join(member(i) for i in items if str(i[0]) != "NEGATE") + "]")
    item = rng.choice(items)
    if not negate:
        if str(item[0]) == "LITERAL":
            return chr(item[1])
        if str(item[0]) == "RANGE":
            return chr(rng.randint(item[1][0], min(item[1][1], item[1][0] + 25)))
    for _ in range(40):
        c = rng.choice(CHARS)
        if compiled.match(c):
            return c
    return "a"


def member(item):
    kind = str(item[0])
    if kind == "LITERAL":
        return re.escape(chr(item[1]))
    if kind == "RANGE":
        return re.escape(chr(item[1][0])) + "-" + re.escape(chr(item[1][1]))
    name = str(item[1])
    return "\\" + {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name.split("_")[-1]].replace("x", "").__getattribute__("upper" if "NOT" in name else "lower")()


def repeats(items, out):
    for op, av in items:
        name = str(op)
        if "REPEAT" in name:
            out.append(av[2])
            repeats(av[2], out)
        elif name == "BRANCH":
            for part in av[1]:
                repeats(part, out)
        elif name == "SUBPATTERN":
            repeats(av[-1], out)
        elif name == "ATOMIC_GROUP":
            repeats(av, out)
    return out


def pumped(pattern, flags, rng, count):
    """Texts of 20 to 40 characters in which what some repeat matches comes again and again."""
    parsed = parser.parse(pattern, flags)
    bodies = repeats(parsed, [])
    whole = walk(parsed, rng)
    for _ in range(count if bodies else 0):
        body = rng.choice(bodies)
        pump = "".join(walk(body, rng) for _ in range(rng.choice([1, 1, 2, 3])))[:10] or "a"
        prefix = rng.choice(["", "", whole[: rng.randint(0, 8)], walk(parsed, rng)[: rng.randint(0, 10)]])
        size = rng.randint(20, 40)
        yield (prefix + pump * 40)[: size - 1] + rng.choice(["!", "\0", "\n\n", "", "a"])


def run(pattern, flags, function, texts, write):
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    compiled = re.compile(pattern, flags)
    search = getattr(compiled, function)
    call = (lambda text: list(search(text))) if function == "finditer" else search
    for text in texts:
        least = 9e9
        for _ in range(7):
            start = time.perf_counter()
            call(text)
            least = min(least, time.perf_counter() - start)
            if least > 0.2:
                break
        os.write(write, (json.dumps(least) + "\n").encode())
    rng = random.Random(pattern)
    worst = 0.0
    for text in pumped(pattern, flags, rng, 0 if texts else TRIES):
        start = time.process_time()
        call(text)
        worst = max(worst, time.process_time() - start)
    os.write(write, (json.dumps(worst) + "\n").encode())


for line in sys.stdin:
    pattern, flags, function, texts = json.loads(line)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            run(pattern, flags, function, texts, write)
        except BaseException as error:
            print(repr(error), pattern, file=sys.stderr)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        said = [json.loads(l) for l in f if l.endswith("\n")]
    os.waitpid(pid, 0)
    times = (said + [None] * (len(texts) + 1))[: len(texts) + 1]
    print(json.dumps([times[:-1], times[-1] is None or times[-1] > 1.0]))
