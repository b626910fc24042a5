#!/usr/bin/env python3
"""What sessions cost: the round trip of a step, and what freezing neighbours and large heaps do to it.

    benches/sessions.py target/release/antifreeze PYTHON… [--preload numpy,pandas] [--many 200]

For each interpreter: `1+1` back to back and with 10 ms between steps, against `python -c 1` started in the same run, alternating; the
same with the gate and guards on; the same with modules preloaded; with 1 GiB of live objects. Then, with the last interpreter, how
long after the limit a frozen session is back, for every kind of freeze; and many sessions of which a quarter freeze at random: the
others' median and 99th percentile with and without the freezers. Name the interpreter's own executable, not a version manager's shim.
"""
import argparse
import json
import random
import statistics
import subprocess
import sys
import threading
import time

import run_times

STEPS = 200
# Those of a run after which a session's process is still its own.
FREEZES = {name: run_times.FREEZES[name] for name in (
    "power", "sum", "loop", "sleep", "regex",
    "lock", "child", "blocked signals", "fork tree", "memory",
)}


class Server:
    def __init__(self, antifreeze, python, *flags):
        command = [antifreeze, "serve", "--python", python, *flags]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.next, self.lock, self.waiting = 0, threading.Lock(), {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message:
                entry = self.waiting.pop(message["id"])
                entry[1] = message
                entry[0].set()

    def call(self, method, **params):
        entry = [threading.Event(), None]
        with self.lock:
            self.next += 1
            number = self.next
            self.waiting[number] = entry
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
            self.process.stdin.flush()
        entry[0].wait()
        if "error" in entry[1]:
            raise SystemExit(entry[1]["error"]["message"])
        return entry[1]["result"]

    def open(self, **params):
        return self.call("session.open", **params)["session"]

    def run(self, session, code):
        return self.call("session.run", session=session, code=code)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def clock(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def median(values):
    return statistics.median(values)


def p99(values):
    return sorted(values)[int(len(values) * 0.99)]


def rhythm(server, session, pause):
    times = []
    for _ in range(STEPS):
        if pause:
            time.sleep(pause)
        times.append(clock(lambda: server.run(session, "1+1")))
    return median(times)


def ratios(antifreeze, python, preload):
    plain = []
    for name, flags, setup in [
        ("bare", ["--no-gate", "--no-guards"], None),
        ("bare, gate and guards", [], None),
        ("preloaded " + preload, ["--no-gate", "--no-guards", "--preload", preload], None) if preload else (None, None, None),
        ("1 GiB of live objects", ["--no-gate", "--no-guards", "--memory", "8GiB"], "x = [[i] for i in range(9_500_000)]"),
    ]:
        if name is None:
            continue
        server = Server(antifreeze, python, *flags)
        session = server.open()
        if setup:
            outcome = server.run(session, setup)
            assert outcome["outcome"] == "finished", outcome
        plain += [clock(lambda: subprocess.run([python, "-c", "1"], check=False)) for _ in range(20)]
        server.run(session, "1+1")
        quick, paused = rhythm(server, session, 0), rhythm(server, session, 0.01)
        start = median(plain)
        print("%s, %s: back to back %.2f ms (%.3f of a start), 10 ms apart %.2f ms (%.3f); start %.1f ms" % (
            python, name, quick, quick / start, paused, paused / start, start), flush=True)
        server.close()


def restores(antifreeze, python):
    server = Server(antifreeze, python, "--no-gate", "--no-guards", "--timeout", "0.3", "--memory", "2GiB")
    session = server.open()
    server.run(session, "x = 1")
    everything = []
    for name, code in FREEZES.items():
        restored = []
        for _ in range(20):
            outcome = server.run(session, code)
            assert outcome["state"] == "kept" and outcome["outcome"] == "timed_out", outcome
            restored.append(outcome["restored_ms"])
        everything += restored
        print("  %-16s back %.1f ms after the limit (median), %.1f ms at most" % (name, median(restored), max(restored)), flush=True)
    assert server.run(session, "x")["result"] == 1
    print("all freezes: median %.1f ms, p99 %.1f ms, at most %.1f ms" % (median(everything), p99(everything), max(everything)), flush=True)
    server.close()


def many(antifreeze, python, count):
    server = Server(antifreeze, python, "--no-gate", "--no-guards", "--timeout", "0.5", "--max-sessions", str(count + 1))
    sessions = [server.open() for _ in range(count)]
    freezers, others = sessions[: count // 4], sessions[count // 4 :]
    results = {False: [], True: []}

    def work(until, freezing):
        while time.monotonic() < until:
            session = random.choice(others)
            if session in busy:
                continue
            busy.add(session)
            results[freezing].append(clock(lambda: server.run(session, "1+1")))
            busy.discard(session)
            time.sleep(0.02)

    def freeze(session, until):
        while time.monotonic() < until:
            time.sleep(random.random() * 4)
            server.run(session, random.choice(["time.sleep(9)", "lock.acquire(); lock.acquire()", "sum(range(10 ** 6)); time.sleep(9)"]))

    for session in freezers:
        server.run(session, "import time, threading; lock = threading.Lock()")
    for freezing in (False, True, False, True):
        busy, until = set(), time.monotonic() + 8
        threads = [threading.Thread(target=work, args=(until, freezing)) for _ in range(4)]
        if freezing:
            threads += [threading.Thread(target=freeze, args=(session, until)) for session in freezers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for freezing, name in [(False, "without"), (True, "with")]:
        times = results[freezing]
        print("%d sessions, %d of them %s freezing: %d steps of the others, median %.2f ms, p99 %.2f ms" % (
            count, len(freezers), name, len(times), median(times), p99(times)), flush=True)
    server.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("antifreeze")
    parser.add_argument("pythons", nargs="+")
    parser.add_argument("--preload", default="")
    parser.add_argument("--many", type=int, default=200)
    parser.add_argument("--only", default="ratios,restores,many")
    options = parser.parse_args()
    for python in options.pythons if "ratios" in options.only else ():
        ratios(options.antifreeze, python, options.preload)
    if "restores" in options.only:
        restores(options.antifreeze, options.pythons[-1])
    if "many" in options.only:
        many(options.antifreeze, options.pythons[-1], options.many)


if __name__ == "__main__":
    sys.exit(main())
