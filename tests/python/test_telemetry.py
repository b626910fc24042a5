"""What Sentry is told by the package, and by the host's own library of Sentry's."""

import gzip
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import antifreeze

FREEZES = "def inner():\n    while True: pass\ninner()"


class Receiver:
    """A Sentry of this process's own."""

    def __init__(self, wait=0.0):
        self.events = events = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers["Content-Encoding"] == "gzip":
                    body = gzip.decompress(body)
                events.append(json.loads(body.decode().splitlines()[2]))
                time.sleep(wait)
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.dsn = f"http://key@127.0.0.1:{self.server.server_port}/1"

    def wait_for(self, n):
        deadline = time.monotonic() + 20
        while len(self.events) < n and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.events


@pytest.fixture(autouse=True)
def nobody_is_told(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("ANTIFREEZE_SENTRY", "SENTRY_")):
            monkeypatch.delenv(name)


def test_a_run_and_a_session_tell():
    sentry = Receiver()
    antifreeze.run("10 ** 10 ** 8", sentry_dsn=sentry.dsn)
    with antifreeze.Session(timeout=0.5, gate=False, sentry_dsn=sentry.dsn) as session:
        session.run("x = 1")
        session.run(FREEZES)
    rejected, frozen = sentry.wait_for(2)
    assert rejected["tags"]["rule"] == "AF101"
    assert frozen["tags"] == {"outcome": "timed_out", "rule": "timeout", "limit": "timeout"}
    assert frozen["exception"]["values"][0]["stacktrace"]["frames"][-1]["function"] == "inner"
    assert "while True" not in json.dumps(frozen)
    assert frozen["contexts"]["antifreeze"]["state"] == "kept"


def test_code_is_sent_on_the_switch():
    sentry = Receiver()
    antifreeze.run("password = 'hunter2'\n10 ** 10 ** 8", sentry_dsn=sentry.dsn, sentry_send_code=True)
    assert sentry.wait_for(1)[0]["extra"]["code"] == "password = '[scrubbed]'\n10 ** 10 ** 8"


def test_the_hosts_own_library_can_tell_instead():
    sentry_sdk = pytest.importorskip("sentry_sdk")
    sentry = Receiver()
    # Where brotli is installed it would compress with that.
    plain = {"transport_compression_algo": "gzip"}
    sentry_sdk.init(sentry.dsn, release="host@3", environment="test", default_integrations=False, _experiments=plain)
    with antifreeze.Session(timeout=0.5, gate=False, sentry=sentry_sdk) as session:
        assert session.run(FREEZES).outcome == "timed_out"
        assert session.run("1 / 0").outcome == "raised"
    sentry_sdk.flush(10)
    (event,) = sentry.wait_for(1)
    assert (event["release"], event["environment"], event["tags"]["outcome"]) == ("host@3", "test", "timed_out")
    assert event["exception"]["values"][0]["stacktrace"]["frames"][-1]["function"] == "inner"
    assert event["fingerprint"][:3] == ["antifreeze", "timed_out", "timeout"]


def test_an_outcome_gives_its_event():
    assert antifreeze.run("1 + 1").to_sentry_event() is None
    event = antifreeze.run("10 ** 10 ** 8").to_sentry_event(send_code=True, code="10 ** 10 ** 8")
    assert event["extra"]["code"] == "10 ** 10 ** 8"
    assert event["level"] == "warning" and "timestamp" not in event


class Broken:
    def capture_event(self, event):
        raise OSError("no")


def test_a_library_that_fails_is_said_and_costs_nothing_else():
    with pytest.warns(RuntimeWarning, match="did not take an event"):
        assert antifreeze.run("10 ** 10 ** 8", sentry=Broken()).outcome == "rejected"


def test_a_sentry_in_trouble_costs_no_step_any_time():
    slow = Receiver(wait=30)
    program = """
import time, antifreeze
with antifreeze.Session() as session:
    session.run("1")
    took = []
    for _ in range(20):
        start = time.perf_counter()
        session.run("10 ** 10 ** 8")
        took.append(time.perf_counter() - start)
print(sorted(took)[10])
"""
    took, said = {}, {}
    for name, dsn in [("nobody", ""), ("slow", slow.dsn), ("down", "http://key@127.0.0.1:9/1"), ("none", "nonsense")]:
        environment = {**os.environ, "ANTIFREEZE_SENTRY_DSN": dsn}
        start = time.monotonic()
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=60)
        assert time.monotonic() - start < 25
        took[name], said[name] = float(done.stdout), [line for line in done.stderr.splitlines() if "RuntimeWarning: " in line]
    print({name: round(seconds / took["nobody"], 2) for name, seconds in took.items()})
    assert {name: len(lines) for name, lines in said.items()} == {"nobody": 0, "slow": 1, "down": 1, "none": 1}, said
    for name, seconds in took.items():
        # A step of a few milliseconds: the margin is for the machine.
        assert seconds < took["nobody"] * 1.5 + 0.01, name
