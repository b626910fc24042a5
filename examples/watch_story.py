"""Tells what a freeze is, and what becomes of it: an agent's host, once with smolagents' own executor and once with antifreeze's.

    python examples/watch_story.py

Both hosts run the same three steps under `antifreeze watch`; the second step is `10 ** 10 ** 8`. smolagents' own executor freezes on it,
with its timeout of a second: the watch ends the host, and Sentry gets one event that says in which frame. antifreeze's executor makes
an ordinary error of it, the third step runs, and the host ends well; Sentry hears of the rejected step. The Sentry is one of this script's
own, on this machine; the envelopes it received are printed.
"""

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

BUDGET = 15

HOST = """
import sys
from smolagents.local_python_executor import InterpreterError, LocalPythonExecutor

if sys.argv[1] == "antifreeze":
    from antifreeze.smolagents import BoundedPythonExecutor as Executor
else:
    Executor = LocalPythonExecutor

executor = Executor([], timeout_seconds=1)
for number, step in enumerate(["x = 20", "10 ** 10 ** 8", "x + 1"], 1):
    try:
        print(f"step {number}: {step!r} gave {executor(step).output!r}", flush=True)
    except InterpreterError as error:
        print(f"step {number}: {step!r} raised {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
"""


class Sentry(BaseHTTPRequestHandler):
    """Takes envelopes."""

    envelopes = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.envelopes.append([json.loads(line) for line in body.splitlines() if line])
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


def tell(executor, dsn):
    print(f"== an agent's host on the executor of {executor} ==", flush=True)
    watch = [sys.executable, "-m", "antifreeze", "watch", "--budget", f"{BUDGET}s", "--", sys.executable, "-c", HOST, executor]
    start = time.monotonic()
    status = subprocess.run(watch, env={**os.environ, "ANTIFREEZE_SENTRY_DSN": dsn}, check=False).returncode
    print(f"exit status {status} after {time.monotonic() - start:.1f} s\n", flush=True)
    return status


def main():
    missing = [name for name in ("antifreeze", "smolagents") if find_spec(name) is None]
    if missing:
        sys.exit(f"{', '.join(missing)}: not installed here; `pip install smolagents .` in the repository's folder installs both")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sentry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    dsn = f"http://key@127.0.0.1:{server.server_port}/1"
    statuses = []
    for number, executor in enumerate(["smolagents", "antifreeze"], 1):
        statuses.append(tell(executor, dsn))
        deadline = time.monotonic() + 10
        while len(Sentry.envelopes) < number and time.monotonic() < deadline:
            time.sleep(0.05)
    for number, envelope in enumerate(Sentry.envelopes, 1):
        print(f"== envelope {number} ==")
        for line in envelope:
            print(json.dumps(line, indent=1))
    events = [line for envelope in Sentry.envelopes for line in envelope if "event_id" in line and "exception" in line]
    outcomes = [event["tags"]["outcome"] for event in events]
    frozen_in = [event["exception"]["values"][0]["stacktrace"]["frames"][-1]["function"] for event in events[:1]]
    told = statuses == [124, 0] and outcomes == ["timed_out", "rejected"] and frozen_in == ["evaluate_binop"]
    print(f"exit statuses {statuses}, events {outcomes}, frozen in {frozen_in}: {'as told' if told else 'NOT as told'}")
    sys.exit(not told)


if __name__ == "__main__":
    main()
