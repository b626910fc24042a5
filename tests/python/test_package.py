"""`check`, `run` and their objects."""

import json
import os
import signal
import subprocess
import sys
import sysconfig
import threading
import time

import pytest

import antifreeze
from antifreeze import CodeError, Crashed, LimitExceeded, Limits, Rejected, SetupError

FREEZE = "10 ** 10 ** 8"


def test_a_freeze_is_rejected_with_words_to_act_on():
    report = antifreeze.check(FREEZE)
    assert report.rejects and not report and report.verdict == "reject"
    [finding] = report.errors
    assert (finding.code, finding.name, finding.line, finding.column) == ("AF101", "huge-power", 1, 1)
    assert finding.measure.low == 332192810 and finding.measure.limit == 1_000_000
    assert "pow(base, exp, mod)" in str(report) and "332192810 bits" in str(report)
    assert "10 ** 10 ** 8" in report.render()
    with pytest.raises(Rejected) as caught:
        report.raise_for_reject()
    assert caught.value.findings[0].code == "AF101" and "AF101" in str(caught.value)


def test_harmless_code_passes():
    report = antifreeze.check("print(sum(range(10)))")
    assert report and report.raise_for_reject() is report and report.findings == []
    assert report.coverage.statements == 1 and not report.coverage.out_of_fuel


def test_a_report_is_what_check_prints():
    report = antifreeze.check("x = 2\nx ** y").to_dict()
    assert report["verdict"] == "bound" and report["guard_sites"][0]["op"] == "**"
    assert json.loads(json.dumps(report)) == report


@pytest.mark.parametrize(
    ("code", "limits", "rejects"),
    [
        ("2 ** 999_999", {}, False),
        ("2 ** 1_000_000", {}, True),
        ("2 ** 1_000_000", {"int_bits": 2_000_000}, False),
        ("import time; time.sleep(5)", {}, False),
        ("import time; time.sleep(5)", {"timeout": 1}, True),
        ("x = bytearray(2 << 20)", {"memory": 1 << 20}, True),
    ],
)
def test_limits_decide(code, limits, rejects):
    assert antifreeze.check(code, **limits).rejects is rejects
    assert antifreeze.check(code, limits=Limits(**limits)).rejects is rejects


@pytest.mark.parametrize("bad", [{"timeout": 0}, {"timeout": float("inf")}, {"memory": -1}, {"int_bits": 1.5}, {"processes": True}])
def test_limits_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Limits(**bad)


@pytest.mark.parametrize(("code", "kind"), [("a\0b", "SyntaxError"), ("x = '\ud800'", "UnicodeEncodeError")])
def test_running_what_no_python_compiles_raises_as_there(code, kind):
    events = []
    sentry = type("Sentry", (), {"capture_event": lambda self, event: events.append(event)})()
    outcome = antifreeze.run(code, sentry=sentry)
    assert (outcome.outcome, outcome.error.type, outcome.state) == ("raised", kind, None)
    with antifreeze.Session() as session:
        session.run("y = 1")
        outcome = session.run(code)
        assert (outcome.outcome, outcome.error.type, outcome.state) == ("raised", kind, "kept")
        assert session.run("y").result == 1


def test_memory_that_was_refused_is_not_said_to_have_been_held():
    outcome = antifreeze.run("print('x' * 10**9)", gate=False)
    assert "asked for more memory than it may have; the limit is" in outcome.message, outcome


def test_code_that_cannot_be_read_is_a_clear_error():
    with pytest.raises(ValueError, match="NUL"):
        antifreeze.check("a\0b")
    assert antifreeze.check("def").findings[0].code == "AF901"


def test_a_run_gives_its_value_and_output():
    outcome = antifreeze.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\n[1, 2.5, None]")
    assert outcome and outcome.outcome == "finished" and outcome.exit_status == 0
    assert (outcome.result, outcome.stdout, outcome.stderr) == ([1, 2.5, None], "out\n", "err\n")
    assert outcome.raise_for_status() is outcome
    assert outcome.to_dict()["result_repr"] == "[1, 2.5, None]"


def test_what_is_rejected_is_not_started():
    outcome = antifreeze.run(FREEZE)
    assert outcome.outcome == "rejected" and outcome.duration_ms == 0 and outcome.limit.name == "int_bits"
    with pytest.raises(Rejected, match="pow\\(base, exp, mod\\)") as caught:
        outcome.raise_for_status()
    assert caught.value.outcome is outcome and caught.value.limit.value == 1_000_000


def test_a_guard_says_what_the_gate_would_have():
    outcome = antifreeze.run(FREEZE, gate=False)
    assert outcome.outcome == "guarded" and "332192810 bits" in outcome.message
    with pytest.raises(LimitExceeded):
        outcome.raise_for_status()


def test_a_frozen_call_is_stopped_on_time_and_says_where():
    start = time.monotonic()
    outcome = antifreeze.run("def f():\n    return 10 ** 10 ** 8\nf()", timeout=1, gate=False, guards=False)
    assert time.monotonic() - start < 10
    assert outcome.outcome == "timed_out" and outcome.limit.name == "timeout" and outcome.limit.observed >= 1
    assert [(frame.line, frame.function) for frame in outcome.stack] == [(3, "<module>"), (2, "f")]
    assert "line 2: return 10 ** 10 ** 8" in outcome.message


def test_an_exception_of_the_code_is_told():
    outcome = antifreeze.run("def f():\n    1 / 0\nf()")
    assert (outcome.outcome, outcome.error.type, outcome.error.line) == ("raised", "ZeroDivisionError", 2)
    with pytest.raises(CodeError, match="ZeroDivisionError at line 2"):
        outcome.raise_for_status()


def test_a_crash_is_a_crash():
    outcome = antifreeze.run("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert outcome.outcome == "crashed"
    with pytest.raises(Crashed):
        outcome.raise_for_status()


def test_output_streams():
    pieces = []
    antifreeze.run("print('a', flush=True)\nimport sys\nprint('b', file=sys.stderr)", on_output=lambda name, data: pieces.append((name, data)))
    assert b"".join(data for name, data in pieces if name == "stdout") == b"a\n"
    assert b"".join(data for name, data in pieces if name == "stderr") == b"b\n"


def test_arguments_environment_and_folder(tmp_path):
    code = "import os, sys\n[sys.argv[1:], os.environ['WORD'], os.getcwd()]"
    outcome = antifreeze.run(code, args=["a", "b c"], env={"WORD": "x=y"}, cwd=tmp_path)
    assert outcome.result == [["a", "b c"], "x=y", str(tmp_path)]


def test_what_cannot_be_set_up_says_what_to_do(tmp_path):
    with pytest.raises(SetupError, match="no-such-python"):
        antifreeze.run("1", python="no-such-python")
    with pytest.raises(SetupError, match="missing"):
        antifreeze.run("1", cwd=tmp_path / "missing")


def test_other_threads_run_while_code_freezes():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    outcome = antifreeze.run(FREEZE, timeout=1, gate=False, guards=False)
    stop.set()
    ticker.join()
    assert outcome.outcome == "timed_out" and len(ticks) > 20


def test_many_threads_check_and_run():
    wrong = []

    def work(n):
        for i in range(20):
            if antifreeze.check(f"2 ** {999_999 + i % 2}").rejects is not bool(i % 2):
                wrong.append(i)
        if antifreeze.run(f"{n} + 1").result != n + 1:
            wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_host_checks_and_runs_as_its_parent_did():
    antifreeze.check(FREEZE)
    antifreeze.run("1")
    busy = threading.Event()
    checking = [threading.Thread(target=lambda: [antifreeze.check("x = 1") for _ in iter(busy.is_set, True)]) for _ in range(4)]
    for thread in checking:
        thread.start()
    try:
        for _ in range(20):
            pid = os.fork()
            if not pid:
                os._exit(0 if antifreeze.check(FREEZE).rejects and antifreeze.run("41 + 1").result == 42 else 1)
            deadline, ended = time.monotonic() + 60, (0, 0)
            while ended == (0, 0) and time.monotonic() < deadline:
                ended = os.waitpid(pid, os.WNOHANG)
                time.sleep(0.01)
            if ended == (0, 0):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            assert ended == (pid, 0)
    finally:
        busy.set()
        for thread in checking:
            thread.join()


def test_ctrl_c_ends_the_code_and_is_raised():
    code = (
        "import antifreeze, sys\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    antifreeze.run('import time\\ntime.sleep(20)')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert host.stdout.readline() == b"ready\n"
    time.sleep(1)
    host.send_signal(2)
    assert host.wait(10) == 7


def test_the_command_comes_with_the_package():
    script = os.path.join(sysconfig.get_path("scripts"), "antifreeze")
    for command in ([sys.executable, "-m", "antifreeze"], [script]):
        done = subprocess.run([*command, "check", "-c", FREEZE], capture_output=True, text=True)
        assert done.returncode == 1 and "AF101" in done.stdout + done.stderr


def test_names_are_all_there():
    for name in antifreeze.__all__:
        assert getattr(antifreeze, name).__doc__
    assert antifreeze.__version__
    with pytest.raises(AttributeError, match="nonsense"):
        antifreeze.nonsense  # noqa: B018
