"""One test per behaviour that smolagents documents or shows for its executor, run against its own and against ours.

`differs` marks what is meant to be different, with the reason; the README lists the same.
"""

import threading
import time

import pytest

smolagents = pytest.importorskip("smolagents")

from smolagents import CodeAgent, FinalAnswerTool, LocalPythonExecutor, Tool, tool  # noqa: E402
from smolagents.local_python_executor import InterpreterError  # noqa: E402
from smolagents.models import ChatMessage, MessageRole, Model  # noqa: E402

from antifreeze.smolagents import BoundedPythonExecutor, SessionValue, StepStopped, StepTimedOut  # noqa: E402

BOTH = pytest.mark.parametrize("kind", [LocalPythonExecutor, BoundedPythonExecutor])


class Executors:
    def __init__(self):
        self.made = []

    def __call__(self, kind, imports=(), tools=(), **options):
        executor = kind(list(imports), **options)
        executor.send_tools({"final_answer": FinalAnswerTool(), **dict(tools)})
        self.made.append(executor)
        return executor


@pytest.fixture
def make():
    executors = Executors()
    yield executors
    for executor in executors.made:
        if hasattr(executor, "cleanup"):
            executor.cleanup()


# Values and output -------------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("x = 5", 5),
        ("x = 2\nx += 3", 5),
        ("x: int = 7", 7),
        ("[i * 2 for i in range(3)]", [0, 2, 4]),
        ("(1, 'a')", (1, "a")),
        ("{1, 2}", {1, 2}),
        ("{(1, 2): 'x'}", {(1, 2): "x"}),
        ("b'ab'", b"ab"),
        ("complex(1, 2)", 1 + 2j),
        ("None", None),
        ("'ä' * 3", "äää"),
        ("sqrt(16) + ceil(1.2)", 6.0),
        ("(1 +\n 2)", 3),
        ("x = 3; x", 3),
        ("2 ** 10  # a comment", 1024),
        ("f'{3:>4}|'", "   3|"),
        ("list(map(lambda x: x + 1, [1, 2]))", [2, 3]),
        ("d = {'f': lambda x: x + 10}\nd['f'](1)", 11),
        ("import datetime\ndatetime.timedelta(days=1).total_seconds()", 86400.0),
    ],
)
def test_the_last_value_is_the_output(make, kind, code, value):
    got = make(kind)(code)
    assert got.output == value and type(got.output) is type(value)
    assert not got.is_final_answer


@BOTH
def test_printed_text_is_in_the_logs(make, kind):
    executor = make(kind)
    got = executor("print('a', 1)\nprint('b', end='')\n3")
    assert (got.logs, got.output) == ("a 1\nb" if kind is BoundedPythonExecutor else "a 1\nb\n", 3)
    assert str(executor.state["_print_outputs"]) == got.logs


@BOTH
def test_logs_of_one_step_are_not_in_the_next(make, kind):
    executor = make(kind)
    executor("print('one')")
    assert executor("print('two')").logs == "two\n"


@BOTH
def test_long_output_is_truncated(make, kind):
    got = make(kind, max_print_outputs_length=100)("print('x' * 1000)")
    assert len(got.logs) < 400 and "truncated" in got.logs


@BOTH
def test_output_before_an_error_is_kept(make, kind):
    executor = make(kind)
    with pytest.raises(InterpreterError):
        executor("print('before')\n1 / 0")
    assert "before" in str(executor.state["_print_outputs"])


# State -------------------------------------------------------------------------------------------------------------------------


@BOTH
def test_variables_live_on(make, kind):
    executor = make(kind)
    executor("x = [1]\ndef f(n):\n    return n + len(x)\nclass C:\n    y = 2")
    assert executor("x.append(2)\nf(3) + C.y").output == 7
    assert executor.state["x"] == [1, 2]


@BOTH
def test_variables_live_on_after_an_error(make, kind):
    executor = make(kind)
    executor("x = 1")
    with pytest.raises(InterpreterError):
        executor("x = 2\nraise ValueError('no')")
    assert executor("x").output == 2


@BOTH
def test_variables_are_sent_in(make, kind):
    executor = make(kind)
    executor.send_variables({"question": "why", "data": {"a": [1, (2, 3)]}, "raw": b"x"})
    assert executor("[question, data['a'][1], raw]").output == ["why", (2, 3), b"x"]
    executor.send_variables({"question": "how"})
    assert executor("question").output == "how"


@BOTH
def test_the_name_is_main(make, kind):
    executor = make(kind)
    assert executor.state["__name__"] == "__main__"
    assert executor("r = 0\nif __name__ == '__main__':\n    r = 1\nr").output == 1


@BOTH
def test_a_missing_variable_is_missing(make, kind):
    executor = make(kind)
    executor("x = 1")
    assert "x" in executor.state and "y" not in executor.state
    with pytest.raises(KeyError):
        executor.state["y"]


# Tools and final answers -----------------------------------------------------------------------------------------------------------


@tool
def weather(city: str, days: int = 1) -> dict:
    """Tells the weather.

    Args:
        city: where
        days: how many
    """
    return {"city": city, "days": days, "thread": threading.get_ident() != 0}


class Failing(Tool):
    name = "failing"
    description = "fails"
    inputs = {}
    output_type = "string"

    def forward(self):
        raise RuntimeError("the service is down")


@BOTH
def test_tools_are_called(make, kind):
    executor = make(kind, tools={"weather": weather})
    assert executor("weather('Oslo', days=3)['days'] + weather(city='Bergen')['days']").output == 4


@BOTH
def test_what_a_tool_raises_reaches_the_code(make, kind):
    executor = make(kind, tools={"failing": Failing()})
    with pytest.raises(InterpreterError, match="the service is down"):
        executor("failing()")
    assert "down" in executor("try:\n    failing()\nexcept Exception as e:\n    r = str(e)\nr").output


@BOTH
def test_additional_functions_are_called(make, kind):
    assert make(kind, additional_functions={"double": lambda x: x * 2})("double(21)").output == 42


@BOTH
def test_tools_can_be_sent_again(make, kind):
    executor = make(kind)
    executor("x = 1")
    executor.send_tools({"final_answer": FinalAnswerTool(), "plus": lambda a: a + 1})
    assert executor("plus(x)").output == 2


@BOTH
@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("final_answer(42)", 42),
        ("final_answer(answer='done')", "done"),
        ("print('x')\nfinal_answer([1, (2,)])\nprint('never')", [1, (2,)]),
        ("def f():\n    final_answer('inner')\nf()", "inner"),
        ("try:\n    final_answer(1)\nexcept Exception:\n    x = 2", 1),
        ("for i in range(10):\n    if i == 3:\n        final_answer(i)", 3),
        ("class C:\n    def __enter__(self):\n        return 1\n    def __exit__(self, *a):\n        return False\nwith C():\n    final_answer(5)", 5),
    ],
)
def test_a_final_answer_ends_the_step(make, kind, code, answer):
    got = make(kind)(code)
    assert (got.output, got.is_final_answer) == (answer, True)
    assert "never" not in got.logs


@BOTH
def test_a_managed_agent_is_called_like_a_tool(make, kind):
    class Managed:
        name = "helper"
        description = "helps"

        def __call__(self, task, **kwargs):
            return f"did {task}"

    assert make(kind, tools={"helper": Managed()})("helper('it')").output == "did it"


# Errors and the lines they name ------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1\ny = x / 0\nz = 3", ["y = x / 0", "ZeroDivisionError", "division by zero"]),
        ("[1, 2][5]", ["[1, 2][5]", "IndexError"]),
        ("{}['k']", ["KeyError", "k"]),
        ("raise ValueError('no luck')", ["ValueError", "no luck"]),
        ("assert 1 == 2, 'unequal'", ["AssertionError", "unequal"]),
        ("def f():\n    return int('x')\nf()", ["ValueError"]),
        ("import os", ["Import of os is not allowed", "Authorized imports are"]),
        ("from subprocess import run", ["Import from subprocess is not allowed"]),
        ("def f(:\n    pass", ["Code parsing failed on line 1", "SyntaxError"]),
    ],
)
def test_errors_name_the_line_and_the_cause(make, kind, code, words):
    with pytest.raises(InterpreterError) as caught:
        make(kind)(code)
    for word in words:
        assert word in str(caught.value)


@BOTH
def test_an_unknown_name_is_an_error(make, kind):
    with pytest.raises(InterpreterError, match="nonsense"):
        make(kind)("nonsense + 1")


@BOTH
def test_modules_that_are_not_installed_are_refused_at_once(kind):
    with pytest.raises(InterpreterError, match="no_such_module"):
        kind(["no_such_module"])


REFUSED = [
    ([], "random.__dict__", "dunder attribute: __dict__"),
    ([], "import random\nrandom._os.system(':')", "module: os"),
    ([], "import random as r\ndef f():\n    return r._os\nf()", "module: os"),
    ([], "from random import _os\n_os.name", "module: os"),
    ([], "import queue\nt = queue.threading\nt._os", "module: threading"),
    (["os"], "import os\nrun = os.system\nrun(':')", "function: system"),
    (["os"], "import os as o\no.popen", "function: popen"),
    (["builtins"], "import builtins\nf = builtins.eval\nf('1')", "function: eval"),
    (["sys"], "import sys\nsys.modules['os']", "module: os"),
    (["importlib"], "import importlib\nimportlib.import_module('os').getcwd()", "module: os"),
    ([], "().__class__.__base__.__subclasses__()", "dunder attribute: __base__"),
    ([], "'a'.__dir__()", "dunder function: __dir__"),
    ([], "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__", "dunder attribute: __traceback__"),
]
# By names as dangerous as those, of other things.
KEPT = {
    "class A:\n    system = popen = 3\nos = A()\nos.system": 3,
    "class A:\n    def eval(self):\n        return 1\nA().eval()": 1,
    "import random\nrandom = [5]\nrandom[0]": 5,
    "d = {'modules': {'os': 7}}\nd['modules']['os']": 7,
    "import random\nclass A:\n    _os = 4\ndef f(random, *more, key=None):\n    return random._os\nf(A())": 4,
    "import random\nclass A:\n    _os = 4\nf = lambda random: random._os\nf(A())": 4,
    "import random\nclass A:\n    _os = 4\n[random._os for random in [A(), A()]]": [4, 4],
}
# A name that is another thing inside a function is a module again after it.
STILL_REFUSED = [
    "import random\ndef f(random):\n    return 1\nrandom._os",
    "import random\n[random for random in [1]]\nrandom._os",
    "import random\nclass A:\n    random = 1\nrandom._os",
    "import random\ndef f(x=random._os):\n    return x",
]
# What theirs refuses, and nothing comes of.
HARMLESS = {
    "class A:\n    def __repr__(self):\n        return type(self).__name__\nrepr(A())": "A",
    "class A:\n    pass\nA().__class__.__name__": "A",
    "def f():\n    'words'\nf.__doc__": "words",
    "[1, 2].__len__()": 2,
}


@BOTH
@pytest.mark.parametrize(("imports", "code", "words"), REFUSED)
def test_ways_out_are_refused_by_name(make, kind, imports, code, words):
    if (kind, words) == (LocalPythonExecutor, "dunder attribute: __dict__"):
        code = "import random\n" + code
    with pytest.raises(InterpreterError, match=f"Forbidden (access|call) to {words}"):
        make(kind, imports=imports)(code)


@BOTH
@pytest.mark.parametrize("code", KEPT)
def test_names_alone_refuse_nothing(make, kind, code):
    assert make(kind)(code).output == KEPT[code]


@BOTH
@pytest.mark.parametrize("code", ["eval('1')", "exec('1')", "compile('1', '', 'eval')", "globals()", "locals()", "open('x')", "__import__('math')"])
def test_builtins_that_run_text_or_reach_outside_are_refused(make, kind, code):
    with pytest.raises(InterpreterError, match="Forbidden function evaluation: .* is not among the explicitly allowed tools"):
        make(kind)(code)
    with pytest.raises(InterpreterError, match="Forbidden function evaluation"):
        make(kind)(f"def f():\n    return {code}\nf()")


def test_builtins_that_are_the_codes_own_are_not_refused(make):
    executor = make(BoundedPythonExecutor, additional_functions={"open": lambda name: f"<{name}>"})
    assert executor("open('x')").output == "<x>"
    assert executor("def f():\n    return eval(1)\ndef eval(x):\n    return x + 1\nf()").output == 2
    assert executor("eval(2)").output == 3
    assert executor("def g(exec):\n    return exec\ng(4)").output == 4
    assert make(BoundedPythonExecutor, imports=["*"])("eval('1 + 1')").output == 2


# Theirs lets the `UnicodeEncodeError` of half a surrogate pair through.
@pytest.mark.parametrize(
    ("kind", "code"),
    [(LocalPythonExecutor, "x = '\0'"), (BoundedPythonExecutor, "x = '\0'"), (BoundedPythonExecutor, "x = '\ud800'")],
)
def test_text_that_is_no_python_is_an_error_of_the_codes(make, kind, code):
    executor = make(kind)
    executor("y = 1")
    with pytest.raises(InterpreterError):
        executor(code)
    assert executor("y").output == 1


@pytest.mark.parametrize("code", STILL_REFUSED)
def test_names_inside_are_not_those_outside(make, code):
    with pytest.raises(InterpreterError, match="Forbidden access to module: os"):
        make(BoundedPythonExecutor)(code)


@pytest.mark.parametrize("code", HARMLESS)
def test_attributes_that_lead_nowhere_are_allowed(make, code):
    assert make(BoundedPythonExecutor)(code).output == HARMLESS[code]


def test_what_a_step_named_is_known_in_the_next(make):
    executor = make(BoundedPythonExecutor)
    executor("import random as r")
    with pytest.raises(InterpreterError, match="Forbidden access to module: os"):
        executor("r._os.getcwd()")
    executor("r = {'a': 1}")
    assert executor("r['a']").output == 1


def test_with_everything_authorized_nothing_is_refused(make):
    executor = make(BoundedPythonExecutor, imports=["*"])
    assert executor("import random\nrandom._os.path.sep").output == "/"
    assert executor("().__class__.__name__").output == "tuple"


def test_a_library_imports_what_it_needs(make):
    pytest.importorskip("pandas")
    executor = make(BoundedPythonExecutor, imports=["pandas"], timeout_seconds=60)
    assert executor("import pandas as pd\nint(pd.Series([1, 2]).sum())").output == 3
    with pytest.raises(InterpreterError, match="Import of numpy is not allowed"):
        executor("import numpy")


# The language ---------------------------------------------------------------------------------------------------------------------------


LANGUAGE = {
    "n = 0\nwhile True:\n    n += 1\n    if n > 4:\n        break\nn": 5,
    "x = 1\ndef f():\n    y = x\n    def g():\n        return y + 1\n    return g()\nf()": 2,
    "import random\nrandom.seed(1)\nisinstance(random.random(), float)": True,
    "import re\nre.findall(r'\\d+', 'a1b22')": ["1", "22"],
    "from collections import Counter\nCounter('abca').most_common(1)": [("a", 2)],
    "del_me = [1, 2, 3]\ndel del_me[0]\ndel_me": [2, 3],
    "' '.join(sorted({'b', 'a'}))": "a b",
}
# What smolagents' interpreter has no form of, or another: theirs is a part of the language.
MORE = {
    "a, *b = [1, 2, 3]\nb": [2, 3],
    "[y := 4, y]": [4, 4],
    "def g():\n    for i in range(3):\n        yield i\nsum(g())": 3,
    "class A:\n    def __init__(self):\n        self.x = 1\n    @property\n    def p(self):\n        return self.x + 1\nA().p": 2,
    "class A:\n    def f(self):\n        return 1\nclass B(A):\n    def f(self):\n        return super().f() + 1\nB().f()": 2,
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    r = type(e).__name__\nfinally:\n    q = 1\n[r, q]": ["ZeroDivisionError", 1],
    "def f(a, *b, c=3, **d):\n    return [a, list(b), c, d]\nf(1, 2, c=4, e=5)": [1, [2], 4, {"e": 5}],
    "match [1, 2]:\n    case [a, b]:\n        r = a + b\nr": 3,
    "async def f():\n    return 4\nimport asyncio\nasyncio.run(f())": 4,
}


@BOTH
@pytest.mark.parametrize("code", LANGUAGE)
def test_the_language(make, kind, code):
    assert make(kind)(code).output == LANGUAGE[code]


@pytest.mark.parametrize("code", MORE)
def test_more_of_the_language(make, code):
    assert make(BoundedPythonExecutor, imports=["asyncio"])(code).output == MORE[code]


@BOTH
def test_authorized_modules(make, kind):
    np = pytest.importorskip("numpy")
    got = make(kind, imports=["numpy", "numpy.*"])("import numpy as np\nnp.arange(3) * 2").output
    assert isinstance(got, np.ndarray) and got.tolist() == [0, 2, 4]
    assert make(kind, imports=["numpy"])("import numpy as np\nfloat(np.float64(1.5))").output == 1.5


@BOTH
def test_everything_can_be_authorized(make, kind):
    assert make(kind, imports=["*"])("import string\nstring.digits").output == "0123456789"


@BOTH
def test_images_travel(make, kind):
    image = pytest.importorskip("PIL.Image")
    executor = make(kind, imports=["PIL", "PIL.*"])
    executor.send_variables({"picture": image.new("RGB", (3, 2), "red")})
    got = executor("picture.rotate(90, expand=True)").output
    assert got.size == (2, 3) and got.convert("RGB").getpixel((0, 0)) == (255, 0, 0)


def test_what_cannot_travel_stays_behind_a_repr(make):
    got = make(BoundedPythonExecutor)("class A:\n    def __repr__(self):\n        return 'an A'\nA()").output
    assert isinstance(got, SessionValue) and str(got) == "an A" and got.type.endswith("A")


@BOTH
def test_a_function_as_an_answer_knows_its_source(make, kind):
    got = make(kind)("def target():\n    return 1\nfinal_answer(target)")
    assert got.output.__name__ == "target" and got.output.__source__ == "def target():\n    return 1"


# Limits ------------------------------------------------------------------------------------------------------------------------------


@BOTH
def test_from_another_thread(make, kind):
    executor, got = make(kind), []
    thread = threading.Thread(target=lambda: got.append(executor("1 + 1").output))
    thread.start()
    thread.join()
    assert got == [2]


@BOTH
def test_no_timeout(make, kind):
    assert make(kind, timeout_seconds=None)("import time\ntime.sleep(0.1)\n3").output == 3


def test_a_freeze_is_rejected_and_the_next_step_runs(make):
    executor = make(BoundedPythonExecutor, timeout_seconds=2)
    executor("x = 20")
    with pytest.raises(StepStopped, match="pow\\(base, exp, mod\\)") as caught:
        executor("10 ** 10 ** 8")
    assert caught.value.outcome.outcome == "rejected"
    assert executor("x + 1").output == 21


@pytest.mark.parametrize("code", ["10 ** 10 ** 8", "import time\ntime.sleep(5)", "while True:\n    pass"])
def test_a_step_is_released_on_time(make, code):
    executor = make(BoundedPythonExecutor, timeout_seconds=1, gate=False, guards=False)
    executor("x = 20")
    start = time.monotonic()
    with pytest.raises(StepTimedOut, match="maximum execution time") as caught:
        executor(code)
    assert time.monotonic() - start < 10
    assert caught.value.outcome.state == "kept"
    assert executor("x + 1").output == 21


def test_a_rejected_wait_is_a_timeout_too(make):
    executor = make(BoundedPythonExecutor, imports=["time"], timeout_seconds=1)
    with pytest.raises(StepTimedOut, match="maximum execution time of 1 seconds") as caught:
        executor("import time\ntime.sleep(2)")
    assert caught.value.outcome.outcome == "rejected"


def test_variables_and_tools_come_back_when_a_session_is_lost(make):
    executor = make(BoundedPythonExecutor, imports=["os"], tools={"weather": weather})
    executor.send_variables({"sent": 5})
    with pytest.raises(InterpreterError):
        executor("import os\nos._exit(3)")
    assert executor("weather('Oslo')['days'] + sent").output == 6


def test_cleanup_ends_the_session():
    executor = BoundedPythonExecutor([])
    executor("1")
    pid = executor._session.pid
    executor.cleanup()
    deadline = time.monotonic() + 10
    import os

    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}")


# An agent ----------------------------------------------------------------------------------------------------------------------------


class Scripted(Model):
    """A model that says what it was told to, and keeps what it was shown."""

    def __init__(self, *actions):
        super().__init__(model_id="scripted")
        self.actions = list(actions)
        self.seen = []

    def generate(self, messages, **kwargs):
        self.seen.append(str(messages))
        code = self.actions.pop(0)
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: go on\n<code>\n{code}\n</code>")


def test_an_agent_recovers_from_a_freeze():
    model = Scripted("x = 20\nbig = 10 ** 10 ** 8", "x = 20", "y = 10 ** 10 ** 8", "final_answer(x + pow(10, 10 ** 8, 7))")
    executor = BoundedPythonExecutor([], timeout_seconds=5)
    agent = CodeAgent(tools=[], model=model, executor=executor, verbosity_level=0)
    try:
        assert agent.run("go") == 20 + pow(10, 10**8, 7)
    finally:
        executor.cleanup()
    assert "pow(base, exp, mod)" in model.seen[1] and "pow(base, exp, mod)" in model.seen[3]
