"""Sessions: variables live on, also when a step freezes."""

import asyncio
import os
import threading
import time

import pytest

import antifreeze
from antifreeze import NotSerializable, Session, SessionClosed

BARE = {"gate": False, "guards": False}


def test_variables_survive_what_freezes():
    with Session(timeout=1, **BARE) as session:
        session.run("x = list(range(5))")
        for code in ["10 ** 10 ** 8", "sum(range(10 ** 12))", "while True: pass", "import time; time.sleep(100)"]:
            start = time.monotonic()
            outcome = session.run(code)
            assert (outcome.outcome, outcome.state) == ("timed_out", "kept"), code
            assert time.monotonic() - start < 10
            assert session.get("x") == [0, 1, 2, 3, 4]
            assert "All variables are as they were before this step" in outcome.message


def test_the_gate_knows_the_steps_before():
    with Session() as session:
        session.run("n = 10 ** 9")
        assert session.check("3 ** n").rejects
        assert session.run("3 ** n").outcome == "rejected"
        assert session.run("n = 3\n3 ** n").result == 27


def test_values_go_in_and_out():
    with Session() as session:
        session.set("config", {"a": [1, None, "ä"], "b": 2.5})
        assert session.run("config['a'][2] * 2").result == "ää"
        assert session.get("config") == {"a": [1, None, "ä"], "b": 2.5}
        session.run("o = object()")
        with pytest.raises(NotSerializable) as caught:
            session.get("o")
        assert "<object object" in caught.value.repr
        with pytest.raises(KeyError):
            session.get("missing")
        assert session.get("missing", 3) == 3
        with pytest.raises(NotSerializable):
            session.set("s", {1, 2})


def test_tools_are_called_in_the_host():
    seen = []

    def search(query, limit=3):
        seen.append((os.getpid(), threading.current_thread() is threading.main_thread()))
        return [f"{query}{n}" for n in range(limit)]

    def broken():
        raise ValueError("no luck")

    async def later(x):
        await asyncio.sleep(0)
        return x + 1

    with Session(tools={"search": search, "broken": broken, "later": later}) as session:
        assert session.run("search('a', limit=2) + [later(1)]").result == ["a0", "a1", 2]
        outcome = session.run("broken()")
        assert outcome.outcome == "raised" and "no luck" in outcome.error.message
        assert session.run("try:\n    broken()\nexcept Exception as e:\n    r = str(e)\nr").result.endswith("no luck")
    assert seen == [(os.getpid(), False)]


def test_a_tool_that_hangs_does_not_hold_the_step():
    release = threading.Event()
    with Session(timeout=1, tools={"wait": lambda: release.wait(30)}) as session:
        session.run("x = 1")
        start = time.monotonic()
        assert session.run("wait()").outcome == "timed_out"
        assert time.monotonic() - start < 10
        release.set()
        assert session.get("x") == 1


def test_interrupt_from_another_thread():
    with Session(timeout=60, **BARE) as session:
        session.run("x = 1")
        threading.Timer(0.5, session.interrupt).start()
        start = time.monotonic()
        outcome = session.run("while True: pass")
        assert time.monotonic() - start < 20 and not outcome.finished
        assert session.get("x") == 1


def test_a_closed_session_says_so():
    session = Session()
    session.close()
    session.close()
    with pytest.raises(SessionClosed):
        session.run("1")


def test_a_forked_host_does_not_share_sessions():
    with Session() as session:
        session.run("x = 1")
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                session.run("x = 2")
                os.write(write, b"shared")
            except SessionClosed:
                with Session() as own:
                    os.write(write, b"own %d" % own.run("41 + 1").result)
            finally:
                os._exit(0)
        os.close(write)
        assert os.read(read, 100) == b"own 42"
        os.waitpid(pid, 0)
        assert session.get("x") == 1


def test_asyncio_runs_steps_side_by_side():
    async def main():
        sessions = [Session(timeout=20) for _ in range(4)]
        try:
            outcomes = await asyncio.gather(*(one.arun(f"import time\ntime.sleep(1)\n{n}") for n, one in enumerate(sessions)))
            return [outcome.result for outcome in outcomes]
        finally:
            for one in sessions:
                one.close()

    start = time.monotonic()
    assert asyncio.run(main()) == [0, 1, 2, 3]
    assert time.monotonic() - start < 30


def test_a_cancelled_task_interrupts_its_step():
    async def main():
        with Session(timeout=60, **BARE) as session:
            await session.arun("x = 1")
            step = asyncio.ensure_future(session.arun("while True: pass"))
            await asyncio.sleep(0.5)
            step.cancel()
            with pytest.raises(asyncio.CancelledError):
                await step
            return (await session.arun("x")).result

    start = time.monotonic()
    assert asyncio.run(main()) == 1
    assert time.monotonic() - start < 30


def test_imports_can_be_limited():
    with Session(allowed_imports=["math"]) as session:
        assert session.run("import math\nmath.floor(2.5)").result == 2
        outcome = session.run("import os")
        assert not outcome.finished and "os" in outcome.error.message


def test_output_streams_step_by_step():
    pieces = []
    with Session() as session:
        session.run("print('a')", on_output=lambda name, data: pieces.append((name, data)))
        assert session.run("print('b')").stdout == "b\n"
    assert {name for name, _ in pieces} == {"stdout"} and b"".join(data for _, data in pieces) == b"a\n"


def test_sessions_of_many_threads():
    wrong = []

    def work(n):
        with Session() as session:
            for i in range(5):
                session.run(f"total = {n} + {i}")
                if session.get("total") != n + i:
                    wrong.append((n, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_left_when_a_host_ends():
    import subprocess
    import sys

    code = "import antifreeze, sys\ns = antifreeze.Session()\ns.run('import os')\nprint(s.pid, flush=True)\n"
    for how in ("", "import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"):
        done = subprocess.run([sys.executable, "-c", code + how], stdout=subprocess.PIPE, text=True)
        pid = int(done.stdout)
        deadline = time.monotonic() + 10
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not os.path.exists(f"/proc/{pid}"), how
    assert antifreeze.run("1").result == 1


def test_figures_are_shown():
    pytest.importorskip("matplotlib")
    with Session(timeout=120, preload=["matplotlib.pyplot"]) as session:
        outcome = session.run("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.figure()\nplt.plot([3, 2])\nNone")
        assert [one.mime for one in outcome.displays] == ["image/png", "image/png"]
        assert all(one.bytes().startswith(b"\x89PNG") for one in outcome.displays)
        assert session.run("1").displays == []


def test_a_table_is_shown_as_one():
    pytest.importorskip("pandas")
    with Session(timeout=120, preload=["pandas"]) as session:
        outcome = session.run("import pandas as pd\npd.DataFrame({'a': [1, 2]})")
        assert "<table" in next(one.data for one in outcome.displays if one.mime == "text/html")
        assert outcome.result_repr.split()[0] == "a"
