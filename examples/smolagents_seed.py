"""Freezes smolagents' own executor, and does not freeze antifreeze's.

    python examples/smolagents_seed.py

Prints a table as JSON: for each program and executor what happened and after how many seconds. smolagents' executor runs in a process
of its own here, so that it can be killed when it freezes.
"""

import json
import subprocess
import sys
import time
from importlib.metadata import version

PROGRAMS = {
    "power": "10 ** 10 ** 8",
    "sleep 5": "import time\ntime.sleep(5)",
    "sleep 8": "import time\ntime.sleep(8)",
    "control": "1 + 1",
}
LIMIT = 1
PATIENCE = 12

LOCAL = """
import sys, time
from smolagents import LocalPythonExecutor
executor = LocalPythonExecutor([], timeout_seconds={limit})
start = time.monotonic()
try:
    said = f"returned {{executor(sys.argv[1]).output}}"
except Exception as error:
    said = f"raised {{type(error).__name__}}"
print(said, time.monotonic() - start, sep="\\n")
"""


def local(code):
    started = subprocess.Popen([sys.executable, "-c", LOCAL.format(limit=LIMIT), code], stdout=subprocess.PIPE, text=True)
    try:
        said, seconds = started.communicate(timeout=PATIENCE)[0].strip().splitlines()
    except subprocess.TimeoutExpired:
        started.kill()
        started.communicate()
        return "frozen: killed from outside", PATIENCE
    return said, float(seconds)


def bounded(code, gate):
    from antifreeze.smolagents import BoundedPythonExecutor

    executor = BoundedPythonExecutor([], timeout_seconds=LIMIT, gate=gate, guards=gate)
    try:
        executor("x = 20")
        start = time.monotonic()
        try:
            said = f"returned {executor(code).output}"
        except Exception as error:
            said = f"raised {type(error).__name__}: {error.outcome.outcome}"
        took = time.monotonic() - start
        return said, took, executor("x + 1").output == 21
    finally:
        executor.cleanup()


def main():
    rows = []
    for name, code in PROGRAMS.items():
        said, took = local(code)
        rows.append({"program": name, "executor": "LocalPythonExecutor", "said": said, "seconds": round(took, 2)})
        for gate in (False, True):
            said, took, alive = bounded(code, gate)
            executor = "BoundedPythonExecutor" if gate else "BoundedPythonExecutor, gate and guards off"
            rows.append({"program": name, "executor": executor, "said": said, "seconds": round(took, 3), "next step runs": alive})
    versions = {name: version(name) for name in ("antifreeze", "smolagents")}
    print(json.dumps({"versions": {"python": sys.version.split()[0], **versions}, "limit": LIMIT, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
