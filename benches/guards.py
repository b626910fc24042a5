#!/usr/bin/env python3
"""How long loops of small ints take with guards, as a multiple of the time without.

    benches/guards.py target/release/antifreeze ~/.pyenv/versions/3.{9,12,13}*/bin/python3

Every loop is timed inside the program, so that starting does not count; runs with and without guards alternate, and the least
time of each counts. `proved` loops are those where the gate knows that nothing grows: they have no guard.
"""
import json
import subprocess
import sys

LOOPS = {
    "proved": "s = 1\n    for i in range(n):\n        s = (s * 31 + i * 7) % 1000003",
    "hash": "s = 1\n    for i in range(n):\n        s = (s * k + i) % m",
    "sum of squares": "s = 0\n    for i in range(n):\n        s += i * i - (i * k) // 7",
    "product": "s = 1\n    for i in range(n):\n        s = s * 3 % m + 1",
    "powers": "s = 0\n    for i in range(n):\n        s = (s + i) ** 2 % m",
    "shifts": "s = 1\n    for i in range(n):\n        s = (s << 3 ^ i) % m",
    "only *": "for i in range(n):\n        s = k * m",
    "unknown types": "for i in range(n):\n        s = a * b + i",
}
PROGRAM = """
import os, time
def f(n, a, b):
    k = int(os.environ['BENCH_K']); m = int(os.environ['BENCH_M'])
    {body}
best = 9.0
for _ in range(7):
    t = time.process_time(); f(200_000, k0, 5); best = min(best, time.process_time() - t)
best
""".replace("k0", "int(os.environ['BENCH_K'])")


def run(antifreeze, python, body, *flags):
    command = [antifreeze, "run", "--no-gate", "--format", "json", "--python", python, "--env", "BENCH_K=31", "--env", "BENCH_M=1000003", *flags]
    output = subprocess.run([*command, "-c", PROGRAM.replace("{body}", body)], capture_output=True, check=False).stdout
    value = json.loads(output)
    return value["result"], value["mechanisms"]["guards"]


def main():
    antifreeze, *pythons = sys.argv[1:]
    for python in pythons:
        print(python)
        for name, body in LOOPS.items():
            plain = guarded = 9.0
            for _ in range(5):
                plain = min(plain, run(antifreeze, python, body, "--no-guards")[0])
                took, guards = run(antifreeze, python, body)
                guarded = min(guarded, took)
            print("  %-16s %2d guards  %.2f" % (name, guards, guarded / plain), flush=True)


main()
