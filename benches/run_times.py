#!/usr/bin/env python3
"""What a run costs: from a cold start to the answer, and from the deadline to the answer.

    benches/run_times.py target/release/antifreeze ~/.pyenv/versions/3.{9,12,13}*/bin/python3

Cold: `antifreeze run` of `1+1` against `python -c 1`, alternating; the median of each. Name the interpreter's own executable, not a
version manager's shim. Deadline: for every kind of freeze, how much later than the limit of 0.5 s after the program was ready the run is
over, by the outcome's own clock and by this script's (which includes the start, measured with a program that ends at once).
"""
import json
import statistics
import subprocess
import sys
import time

COLD, FROZEN, LIMIT = 60, 20, 0.5
FREEZES = {
    "power": "10 ** 10 ** 8",
    "sum": "sum(range(10 ** 13))",
    "loop": "while True: pass",
    "sleep": "import time; time.sleep(60)",
    "regex": "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
    "lock": "import threading; l = threading.Lock(); l.acquire(); l.acquire()",
    "child": "import subprocess; subprocess.run(['sleep', '60'])",
    "thread": "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()",
    "at exit": "import atexit, time; atexit.register(time.sleep, 60)",
    "blocked signals": "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\nwhile True: pass",
    "ignored signals": "import signal\nfor i in range(1, 32):\n    try: signal.signal(i, signal.SIG_IGN)\n    except OSError: pass\nwhile True: pass",
    "stopped": "import os; os.kill(os.getpid(), 19)",
    "fork tree": "import os, time\nfor _ in range(4): os.fork()\ntime.sleep(60)",
    "memory": "x = bytearray(900 << 20)\nwhile True: pass",
}


def timed(command):
    start = time.perf_counter()
    output = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return time.perf_counter() - start, output


def main():
    antifreeze, *pythons = sys.argv[1:]
    for python in pythons:
        plain, runs = [], []
        for _ in range(COLD):
            plain.append(timed([python, "-c", "1"])[0])
            runs.append(timed([antifreeze, "run", "--python", python, "-c", "1+1"])[0])
        cold = statistics.median(runs)
        print("%s: cold %.1f ms, plain %.1f ms, ratio %.2f" % (python, cold * 1e3, statistics.median(plain) * 1e3, cold / statistics.median(plain)), flush=True)
    late = []
    for name, code in FREEZES.items():
        own, outside = [], []
        for _ in range(FROZEN):
            took, output = timed(
                [antifreeze, "run", "--no-gate", "--no-guards", "--timeout", str(LIMIT), "--format", "json", "--python", pythons[-1], "-c", code]
            )
            value = json.loads(output)
            own.append(value["duration_ms"] - LIMIT * 1e3)
            outside.append((took - LIMIT - cold) * 1e3)
        late += outside
        print("  %-16s %-10s noticed %5.1f ms, returned %6.1f ms after the deadline; at most %6.1f"
              % (name, value["outcome"], statistics.median(own), statistics.median(outside), max(outside)), flush=True)
    late.sort()
    print("deadline to return: median %.1f ms, p99 %.1f ms of %d" % (statistics.median(late), late[int(len(late) * 0.99)], len(late)))


if __name__ == "__main__":
    main()
