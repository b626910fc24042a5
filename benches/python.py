"""What the Python package costs its host, in one run:

    python benches/python.py [PROGRAMS.jsonl]      in an environment with the package, built for release

- `check` of a short program with a loop of a hundred rounds; of the programs of a corpus (a JSON object with `code` a line; this
  repository's examples if none is given) that are about as long as the median snippet of a log; and of all of them against
  `ast.parse` of the same text: median and p99;
- the longest stall of a thread that ticks every 10 ms while sessions freeze in C calls;
- 10,000 checks and 1,000 runs from 16 threads and from asyncio: seconds, and processes, threads and descriptors before and after.
"""

import ast
import asyncio
import json
import os
import pathlib
import statistics
import sys
import threading
import time

import antifreeze

LOOP = (
    "import math\n\ndef solve(n):\n    total = 0\n    for i in range(1, n + 1):\n        if i % 3 == 0 or i % 5 == 0:\n"
    "            total += math.floor(i / 2)\n    return total\n\nprint(solve(100))\n"
)


def microseconds(work, rounds):
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1e6)
    return took


def spread(took):
    took = sorted(took)
    return {"median_us": round(statistics.median(took), 1), "p99_us": round(took[int(len(took) * 0.99)], 1)}


def parse(code):
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass


def checks(corpus):
    ours, theirs = [], []
    for code in corpus:
        ours += microseconds(lambda code=code: antifreeze.check(code), 1)
        theirs += microseconds(lambda code=code: parse(code), 1)
    # About as long as what models write in logs, in the median.
    short = [code for code in corpus if 150 <= len(code) <= 215]
    often = [took for code in short for took in microseconds(lambda code=code: antifreeze.check(code), 50)]
    return {
        "loop": {"characters": len(LOOP), "check": spread(microseconds(lambda: antifreeze.check(LOOP), 2000))},
        "short": {"programs": len(short), "check": spread(often) if often else None},
        "all": {"programs": len(corpus), "check": spread(ours), "ast_parse": spread(theirs)},
    }


def stalls():
    gaps, stop = [], threading.Event()

    def tick():
        last = time.perf_counter()
        while not stop.is_set():
            time.sleep(0.01)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    ticker = threading.Thread(target=tick)
    ticker.start()

    def freeze():
        with antifreeze.Session(timeout=1, gate=False, guards=False) as session:
            for code in ("10 ** 10 ** 8", "sum(range(10 ** 12))", "while True: pass"):
                session.run(code)

    hosts = [threading.Thread(target=freeze) for _ in range(2)]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join()
    stop.set()
    ticker.join()
    return {"ticks": len(gaps), "longest_ms": round(max(gaps) * 1000, 1), "median_ms": round(statistics.median(gaps) * 1000, 1)}


def held():
    children = sum(1 for entry in os.listdir("/proc") if entry.isdigit() and _parent(entry) == os.getpid())
    return {"children": children, "threads": threading.active_count(), "descriptors": len(os.listdir("/proc/self/fd"))}


def _parent(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def many():
    antifreeze.run("1")
    before = held()
    wrong = []

    def work(n):
        for i in range(10_000 // 16):
            if antifreeze.check(f"2 ** {999_999 + i % 2}").rejects is not bool(i % 2):
                wrong.append(("check", i))
        for i in range(1_000 // 32):
            if antifreeze.run(f"{n} * {i}").result != n * i:
                wrong.append(("run", n, i))

    start = time.perf_counter()
    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def tasks():
        gate = asyncio.Semaphore(16)

        async def one(i):
            async with gate:
                outcome = await asyncio.to_thread(antifreeze.run, f"{i} + 1")
                if outcome.result != i + 1:
                    wrong.append(("task", i))

        await asyncio.gather(*(one(i) for i in range(500)))

    asyncio.run(tasks())
    return {"seconds": round(time.perf_counter() - start, 1), "wrong": wrong, "before": before, "after": held()}


def main():
    if len(sys.argv) > 1:
        corpus = [json.loads(line)["code"] for line in open(sys.argv[1], encoding="utf-8")]
    else:
        corpus = [path.read_text() for path in (pathlib.Path(__file__).parent.parent / "examples").glob("*.py")]
    print(json.dumps({"checks": checks(corpus), "stalls": stalls(), "many": many()}, indent=1))


if __name__ == "__main__":
    main()
