"""How fast `antifreeze scan` reads logs, beside Python (`json` and `ast.parse`) and `jq`, and how much memory it takes.

    python3 benches/scan.py ANTIFREEZE LOG.jsonl... [--size 2000] [--seed 1]

Builds a log of that many megabytes in a temporary folder, from the lines of the logs given, in an order of its own; each line gets a number,
so that no two are the same. Python looks at each string of each record for code in fences and tags, and at the members that hold code.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

BASELINE = r'''
import ast, json, re, sys
FENCE = re.compile(r"```(?:python|py)\n(.*?)```|<execute>(.*?)</execute>|<code>\n(.*?)</code>", re.S)
KEYS = {"code", "source", "query", "code_action", "generated", "new_source"}
found = bad = 0
def look(value, key=None):
    global found, bad
    if isinstance(value, dict):
        for name, member in value.items():
            look(member, name)
    elif isinstance(value, list):
        for member in value:
            look(member, key)
    elif isinstance(value, str):
        codes = [value] if key in KEYS else [next(filter(None, groups), "") for groups in FENCE.findall(value)]
        for code in codes:
            found += 1
            try:
                ast.parse(code)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                bad += 1
with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        look(json.loads(line))
print(found, bad)
'''


def is_whole(line):
    """Whether a line is one value."""
    try:
        return bool(json.loads(line))
    except ValueError:
        return False


def build(path, sources, megabytes, seed):
    """Writes the log; gives its size."""
    lines = []
    for source in sources:
        with open(source, encoding="utf-8") as file:
            lines += [line.rstrip("\n") + "\n" for line in file if line.startswith("{") and is_whole(line)]
    if not lines:
        sys.exit("none of the logs has JSON in lines")
    order = random.Random(seed)
    size = number = 0
    with open(path, "w", encoding="utf-8") as out:
        while size < megabytes * 1_000_000:
            line = order.choice(lines)
            number += 1
            # A member of its own in front: another record, with the same code.
            size += out.write(f'{{"n": {number}, ' + line[1:])
    return os.path.getsize(path)


def measured(command):
    """Seconds of wall clock and of processors, and the most memory in MiB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    # antifreeze ends with 1 where it rejects something.
    if process.returncode not in ((0, 1) if "scan" in command else (0,)):
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("antifreeze")
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--size", type=int, default=2000, help="megabytes")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.jsonl")
        size = build(log, args.logs, args.size, args.seed) / 1e6
        print(f"{size:.0f} MB")
        print(f"{'':<28} {'wall s':>8} {'cpu s':>8} {'MB/s a core':>12} {'MiB':>8}")
        rates = {}
        commands = {
            "antifreeze, all cores": [args.antifreeze, "scan", "--format", "jsonl", log],
            "antifreeze, one": [args.antifreeze, "scan", "--format", "jsonl", "--jobs", "1", log],
            "antifreeze, counts only": [args.antifreeze, "scan", log],
            "python3 json + ast.parse": [sys.executable, "-c", BASELINE, log],
        }
        if shutil.which("jq"):
            commands["jq"] = ["jq", "-c", "[.. | strings | select(contains(\"```\") or contains(\"<execute>\"))] | length", log]
        for name, command in commands.items():
            wall, cpu, memory = measured(command)
            rates[name] = size / cpu
            print(f"{name:<28} {wall:>8.1f} {cpu:>8.1f} {size / cpu:>12.1f} {memory:>8.0f}")
        for other in ("python3 json + ast.parse", "jq"):
            if other in rates:
                print(f"as fast as {other}: {rates['antifreeze, one'] / rates[other]:.1f} times, a core each")


if __name__ == "__main__":
    main()
