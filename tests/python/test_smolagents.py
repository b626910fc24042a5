"""One test per behaviour that smolagents documents or shows for its executor, run against its own and against ours.

`differs` marks what is meant to be different, with the reason; the README lists the same.
"""

import collections
import dataclasses
import datetime
import decimal
import re
import sys
import threading
import time

import pytest

smolagents = pytest.importorskip("smolagents")

from smolagents import CodeAgent, FinalAnswerTool, LocalPythonExecutor, Tool, tool  # noqa: E402
from smolagents.local_python_executor import ExecutionTimeoutError, InterpreterError  # noqa: E402
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
        ("x = 1\nx, 'a'", (1, "a")),
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
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("a, b = 0, 1", (0, 1)),
        ("d = {}\nd['k'] = [1]", [1]),
        ("d = {'k': 1}\nd['k'] += 2", 3),
        ("class A:\n    pass\na = A()\na.x = 7", 7),
        ("x = 3\nif x < 5:\n    y = x + 1\n    print(y)\nelse:\n    y = 9", 4),
        ("x = 3\nif x > 5:\n    y = 1\nelif x > 2:\n    x * 2\nelse:\n    y = 9", 6),
        ("x = 3\nif x > 1:\n    x += 1", 4),
        ("x = 3\nif x > 9:\n    x = 1", None),
        ("for i in range(3):\n    x = i", 2),
        ("s = 0\nfor i in range(4):\n    if i % 2:\n        s += i\n    print(s)", 4),
        ("a, b = 0, 1\nwhile b < 5:\n    a, b = b, a + b", None),
        ("try:\n    x = 1\nfinally:\n    y = 2", None),
        ("import math", None),
        ("d = {}\nfor k in 'ab':\n    d[k] = k * 2", "bb"),
    ],
)
def test_the_last_statement_has_a_value(make, kind, code, value):
    assert make(kind)(code).output == value


def test_the_gate_goes_on_knowing_what_it_knew(make):
    executor = make(BoundedPythonExecutor)
    executor("n = 10 ** 8")
    steps = ["def f(x):\n    return 10 ** x", "for i in range(2):\n    k = f", "if k:\n    g = f", "f", "d = {}\nd['f'] = f"]
    for step in steps:
        executor(step)
        with pytest.raises(StepStopped, match="rejected before it ran"):
            executor("f(n)")


def test_a_message_names_the_line_as_the_code_has_it(make):
    executor = make(BoundedPythonExecutor, timeout_seconds=1, gate=False)
    for code in ["if True:\n    x = sum(iter(int, 1))", "sum(iter(int, 1))"]:
        with pytest.raises(StepTimedOut) as caught:
            executor(code)
        assert f"{code.splitlines()[-1].strip()} All variables" in str(caught.value) and "_antifreeze" not in str(caught.value)


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


@BOTH
def test_the_state_is_a_dict_of_the_variables(make, kind):
    executor = make(kind)
    executor.send_variables({"sent": (1, 2)})
    assert executor.state["sent"] == (1, 2)
    executor("x = 1\ny = [2]\nx = x + 1")
    state = executor.state
    assert isinstance(state, dict) and {"sent", "x", "y", "__name__", "_print_outputs"} <= set(state)
    assert {name: value for name, value in state.items() if not name.startswith("_")} == {"sent": (1, 2), "x": 2, "y": [2]}
    assert {**state}["y"] == dict(state)["y"] == state.copy()["y"] == [2]
    assert state.get("z", 5) == 5 and "z" not in state and len(state) == len(list(state.keys())) == len(state.values())
    state["z"] = 3
    state.update(u=4)
    assert executor("x + z + u").output == 9
    del state["x"]
    assert state.pop("z") == 3 and state.pop("z", None) is None
    assert not {"x", "z"} & set(state)
    with pytest.raises(InterpreterError):
        executor("x")
    with pytest.raises(KeyError):
        del state["x"]
    executor.state = {"fresh": 1}
    assert "y" not in executor.state and executor("fresh").output == 1


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


def test_tools_that_are_sent_no_more_are_gone(make):
    executor = make(BoundedPythonExecutor, tools={"plus": lambda a: a + 1})
    assert executor("plus(1)").output == 2
    executor.send_tools({"final_answer": FinalAnswerTool()})
    with pytest.raises(InterpreterError, match="Forbidden function evaluation: 'plus'"):
        executor("plus(1)")


@BOTH
def test_builtins_given_as_tools_are_the_codes_own(make, kind):
    executor = make(kind, tools={"print": print, "range": range, "eval": eval, "super": super})
    got = executor("print('here')\nx = [i for i in range(3)]\neval('1 + 1')")
    assert (got.logs, got.output) == ("here\n", 2)


@BOTH
def test_additional_functions_come_before_tools(make, kind):
    assert make(kind, tools={"which": lambda: "tool"}, additional_functions={"which": lambda: "function"})("which()").output == "function"


@BOTH
@pytest.mark.parametrize("code", ["final_answer = 3", "x = 1\nfor weather in [1]:\n    pass", "weather, x = 1, 2"])
def test_the_names_of_tools_cannot_be_taken(make, kind, code):
    executor = make(kind, tools={"weather": weather})
    with pytest.raises(InterpreterError, match="Cannot assign to name '.*': doing this would erase the existing tool!"):
        executor(code)
    assert executor("final_answer(weather('Oslo')['city'])").output == "Oslo"


def test_a_tool_cannot_be_defined_anew(make):
    executor = make(BoundedPythonExecutor, tools={"weather": weather})
    for code in [
        "def weather(city):\n    return 'sunny'",
        "try:\n    1 / 0\nexcept Exception as weather:\n    pass",
        "match [1]:\n    case [weather]:\n        pass",
        "match {}:\n    case {**weather}:\n        pass",
        "def f():\n    global weather\n    weather = 1",
        "[weather := 1]",
        "del weather",
    ]:
        with pytest.raises(InterpreterError, match="would erase the existing tool"):
            executor(code)
    assert executor("def f(weather):\n    return weather\nf([weather for weather in 'a'])").output == ["a"]
    assert executor("weather('Oslo')['days']").output == 1


@BOTH
@pytest.mark.parametrize(
    ("error", "caught", "words"),
    [
        (ValueError("no luck"), "ValueError", "ValueError: no luck"),
        (KeyError("k"), "LookupError", "KeyError: 'k'"),
        (ZeroDivisionError("z"), "Exception", "ZeroDivisionError: z"),
        (decimal.InvalidOperation("d"), "ArithmeticError", "InvalidOperation: d"),
        (type("Odd", (OSError,), {})("odd"), "OSError", "Odd: odd"),
    ],
)
def test_what_a_tool_raises_is_of_its_own_class(make, kind, error, caught, words):
    def fail():
        raise error

    executor = make(kind, tools={"fail": fail})
    assert executor(f"try:\n    fail()\nexcept {caught} as e:\n    r = str(e)\nr").output == words.split(": ")[1]
    with pytest.raises(InterpreterError, match=f"due to: {words}"):
        executor("fail()")


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
        (
            "class C:\n    def __enter__(self):\n        return 1\n    def __exit__(self, *a):\n        return False\nwith C():\n    final_answer(5)",
            5,
        ),
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


def re_error():
    try:
        re.compile("(")
    except re.error as error:
        return error


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
        ("x = nothing(1)", ["at line 'x = nothing(1)' due to: InterpreterError: Forbidden function evaluation: 'nothing' is not among"]),
        ("missing + 1", ["InterpreterError: The variable `missing` is not defined."]),
        ("del missing", ["InterpreterError: Cannot delete name 'missing': name is not defined"]),
        ("d = {'Bhutan': 1}\nd['Butan']", ["Could not index {'Bhutan': 1} with 'Butan': KeyError: 'Butan'. Maybe you meant", "['Bhutan']"]),
        ("d = {'a': {}}\ndef f(k):\n    return d['a'][k]\nf('b')", ["Could not index {} with 'b': KeyError: 'b'"]),
        ("x = [1]\nx[-2]", ["Could not index [1] with '-2': IndexError: list index out of range"]),
        ("x = 5\nx[0]", ["Could not index 5 with '0': TypeError: 'int' object is not subscriptable"]),
        ("{}.pop('q')", ["KeyError: 'q'"]),
        ("def f(x):\n    assert x > 3\nf(1)", ["AssertionError: Assertion failed: x > 3"]),
        ("class E(Exception):\n    pass\nraise E('mine')", ["due to: E: mine"]),
        ("import re\nre.compile('(')", [f"due to: {type(re_error()).__name__}: missing )"]),
        ("x = 1\nx.__class__", ["at line 'x.__class__' due to: InterpreterError: Forbidden access to dunder attribute: __class__"]),
        ("x = open('f')", ["at line 'x = open('f')' due to: InterpreterError: Forbidden function evaluation: 'open'"]),
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


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known since Python 3.11")
@BOTH
def test_of_several_statements_on_a_line_the_one_is_named(make, kind):
    executor = make(kind)
    for code, words in [
        ("a = 1; b = a / 0; c = 2", "b = a / 0"),
        ("'ä'; x = 'ä' + 1", "x = 'ä' + 1"),
        ("import math; math.nope; 3", "math.nope"),
    ]:
        with pytest.raises(InterpreterError, match=f"at line '{re.escape(words)}'"):
            executor(code)


def test_names_that_look_alike_are_told(make):
    executor = make(BoundedPythonExecutor)
    executor("food_items = [1]")
    with pytest.raises(
        InterpreterError, match="`food_item` is not defined. Maybe you meant one of these names instead: \\['food_items'\\]"
    ):
        executor("food_item[0]")
    with pytest.raises(InterpreterError) as caught:
        executor("antifreeze_settle + 1")
    assert "_antifreeze_settle" not in str(caught.value)


def test_statements_out_of_place_are_named_as_such(make):
    with pytest.raises(InterpreterError, match="'yield' outside function"):
        make(BoundedPythonExecutor)("yield 3")


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
@pytest.mark.parametrize(
    "code",
    [
        "import functools\nimport warnings\nlist(filter(functools.partial(getattr, warnings), ['sys']))",
        "import warnings\nlist(map(getattr, [warnings], ['sys']))",
    ],
)
def test_ways_out_through_other_functions_are_refused(make, kind, code):
    with pytest.raises(InterpreterError, match="Forbidden access to module: sys"):
        make(kind, imports=["warnings", "functools"])(code)


def test_getattr_is_pythons_otherwise(make):
    executor = make(BoundedPythonExecutor)
    executor("class A:\n    x = 3\na = A()")
    assert executor("[getattr(a, 'x'), getattr(a, 'y', 4), getattr(a, 'y', None)]").output == [3, 4, None]
    with pytest.raises(InterpreterError, match="AttributeError: 'A' object has no attribute 'y'"):
        executor("getattr(a, 'y')")
    with pytest.raises(InterpreterError, match="Forbidden access to dunder attribute: __class__"):
        executor("name = '__cla' + 'ss__'\ngetattr(a, name)")


@BOTH
@pytest.mark.parametrize("code", KEPT)
def test_names_alone_refuse_nothing(make, kind, code):
    assert make(kind)(code).output == KEPT[code]


@BOTH
@pytest.mark.parametrize(
    "code", ["eval('1')", "exec('1')", "compile('1', '', 'eval')", "globals()", "locals()", "open('x')", "__import__('math')"]
)
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


def test_what_cannot_travel_has_the_attributes_that_can(make):
    executor = make(BoundedPythonExecutor)
    code = "class A:\n    'words'\n    def __init__(self):\n        self.x, self.f, self.b = [1], print, B()\n    def __str__(self):\n        return 'shown'\n"
    got = executor(f"class B:\n    def __init__(self):\n        self.y = 2\n{code}A()").output
    assert (str(got), got.x, got.b.y, got.__doc__) == ("shown", [1], 2, "words") and repr(got).startswith("<__main__.A object")


@dataclasses.dataclass
class Point:
    x: int
    y: object = None


Pair = collections.namedtuple("Pair", "first second")


class Connection:
    """What cannot be copied."""

    def __init__(self, name):
        self.name, self.lock = name, threading.Lock()

    def ask(self):
        return self.name


class Rows:
    """What is read item by item."""

    def __init__(self):
        self.lock, self.rows = threading.Lock(), {"a": 1, "b": 2}

    def __getitem__(self, key):
        return self.rows[key]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)


class Text(str):
    """As libraries have them."""

    def __init__(self, text):
        self.lock = threading.Lock()


def local_class():
    class Local:
        attr = 2

    return Local


VALUES = {
    "rows": (Rows(), "[v['b'], list(v), len(v), bool(v)]", [2, ["a", "b"], 2, True]),
    "a text of another class": ([Text("words")], "v[0].upper() + v[0]", "WORDSwords"),
    "a class of a function's": (local_class(), "v.attr", 2),
    "nan": (float("nan"), "v != v", True),
    "infinite": (float("-inf"), "v", float("-inf")),
    "huge": (10**30, "v + 1", 10**30 + 1),
    "negative": (-5, "abs(v)", 5),
    "nothing": (None, "v is None", True),
    "dataclass": (Point(1, [2]), "v.x + v.y[0]", 3),
    "namedtuple": (Pair(1, 2), "v.second", 2),
    "a list of dataclasses": ([Point(1), Point(2)], "[p.x for p in v]", [1, 2]),
    "counter": (collections.Counter("aab"), "v.most_common(1)", [("a", 2)]),
    "defaultdict": (collections.defaultdict(list), "v['k']", []),
    "time": (datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc), "v.isoformat()", "2020-01-02T00:00:00+00:00"),
    "exception": (ValueError("words"), "str(v)", "words"),
    "function": (lambda x: x + 1, "v(2)", 3),
    "connection": (Connection("c"), "v.name", "c"),
    "generator": ((i for i in range(3)), "list(v)", [0, 1, 2]),
    "class": (Point, "v(4).x", 4),
}


@BOTH
@pytest.mark.parametrize("what", VALUES)
@pytest.mark.parametrize("how", ["variable", "tool"])
def test_values_of_the_hosts_are_themselves_in_the_code(make, kind, what, how):
    value, code, got = VALUES[what]
    if what == "generator":
        value = (i for i in range(3))
    if (kind, what) == (BoundedPythonExecutor, "class"):
        # It is called in the host, where it is.
        value = Point
    executor = make(kind, tools={"give": lambda: value})
    if how == "variable":
        executor.send_variables({"v": value})
    else:
        executor("v = give()")
    assert executor(code).output == got


@BOTH
def test_values_that_stay_in_the_host_come_back_as_themselves(make, kind):
    connection = Connection("c")
    executor = make(kind, tools={"connect": lambda: connection, "ask": lambda c, n=1: [c.ask()] * n, "same": lambda c: c is connection})
    assert executor("c = connect()\nask(c, n=2)").output == ["c", "c"]
    assert executor("same([c, connect()][1])").output is True
    assert executor("{'kept': [c]}").output == {"kept": [connection]}
    assert executor("final_answer(c)").output is connection
    if kind is BoundedPythonExecutor:
        with pytest.raises(InterpreterError, match="AttributeError: 'ask' of this Connection cannot be had here"):
            executor("c.ask()")


@BOTH
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("float('inf')", float("inf")),
        ("from collections import Counter\nCounter('aab')", collections.Counter("aab")),
        ("from collections import OrderedDict\nOrderedDict(a=1)", collections.OrderedDict(a=1)),
        ("from collections import deque\ndeque([1])", collections.deque([1])),
        ("from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)\nd", {"a": [1]}),
        ("int", int),
        ("class S(str):\n    pass\n[S('a')]", ["a"]),
        ("class D(dict):\n    pass\nD(a=1)", {"a": 1}),
    ],
)
def test_more_values_travel(make, kind, code, value):
    got = make(kind)(code).output
    assert got == value
    if kind is BoundedPythonExecutor and "class" not in code:
        assert type(got) is type(value) or isinstance(got, collections.defaultdict)


@BOTH
def test_records_travel(make, kind):
    code = (
        "@dataclasses.dataclass\nclass P:\n    x: int\n    y: list\np = P(1, [2])"
        if kind is BoundedPythonExecutor
        else "p = make_point(1, [2])"
    )
    executor = make(kind, imports=["dataclasses"], tools={"make_point": lambda x, y: dataclasses.make_dataclass("P", ["x", "y"])(x, y)})
    got = executor(f"import dataclasses\n{code}\nfinal_answer(p)").output
    assert (got.x, got.y, str(got)) == (1, [2], "P(x=1, y=[2])")


@BOTH
@pytest.mark.parametrize(
    "code",
    [
        "pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': [1.5, float('nan')]}, index=['p', 'q'])",
        "pd.DataFrame({'t': pd.to_datetime(['2020-01-01', None])})",
        "pd.DataFrame({'k': ['a', 'a', 'b'], 'v': [1, 2, 3]}).groupby('k')['v'].agg(['sum', 'mean'])",
        "pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([('a', 1), ('b', 2)]))",
        "pd.Series([True, False], name='s', index=pd.RangeIndex(1, 3))",
        "pd.DataFrame({'a': [1]}).iloc[0]",
        "pd.Series(pd.date_range('2020-01-01', periods=2, tz='UTC'))",
    ],
)
def test_tables_travel(make, kind, code):
    pd = pytest.importorskip("pandas")
    executor = make(kind, imports=["pandas"], tools={"rows": lambda table: len(table)}, timeout_seconds=60)
    got, there = executor(f"import pandas as pd\nt = {code}\nt").output, eval(code, {"pd": pd})
    (pd.testing.assert_frame_equal if isinstance(there, pd.DataFrame) else pd.testing.assert_series_equal)(got, there)
    assert executor("rows(t)").output == len(there)
    executor.send_variables({"sent": there})
    assert executor("sent.equals(t)").output is True


def test_much_can_be_sent_without_the_gate_losing_count(make):
    executor = make(BoundedPythonExecutor)
    executor.send_variables({"text": "words " * 200_000, "n": 10**8})
    assert executor("len(text)").output == 1_200_000
    with pytest.raises(StepStopped, match="rejected before it ran"):
        executor("10 ** n")


def test_members_of_enumerations_stay(make):
    got = make(BoundedPythonExecutor, imports=["enum"])("import enum\nclass Color(enum.IntEnum):\n    RED = 1\nColor.RED").output
    assert isinstance(got, SessionValue) and repr(got) == "<Color.RED: 1>"


def test_large_answers_travel_whole(make):
    executor = make(BoundedPythonExecutor, tools={"twice": lambda text: text * 2})
    assert executor("len(twice('ä' * 1_000_000))").output == 2_000_000
    assert executor("final_answer('ä' * 1_000_000)").output == "ä" * 1_000_000
    assert executor("x = list(range(100_000))\nfinal_answer([x, {'k': x}])").output[1]["k"][-1] == 99_999
    assert executor.state["x"] == list(range(100_000))
    assert executor("'y' * 1_000_000").output == "y" * 1_000_000
    start = time.monotonic()
    assert isinstance(executor("big = [0] * 5_000_000").output, SessionValue)
    assert time.monotonic() - start < 10 and "big" in executor.state


@BOTH
def test_an_answer_is_what_the_tool_makes_of_it(make, kind):
    answers = []

    class Answer(FinalAnswerTool):
        def forward(self, answer):
            answers.append({"answer": answer, "object": object()})
            return answers[-1]

    executor = make(kind, tools={"final_answer": Answer()})
    assert executor("final_answer(3)").output is answers[0] and answers[0]["answer"] == 3


@BOTH
def test_large_images_are_answers(make, kind):
    image = pytest.importorskip("PIL.Image")
    picture = image.effect_noise((700, 700), 90)
    executor = make(kind, imports=["PIL", "PIL.*"], tools={"draw": lambda: picture})
    assert executor("final_answer(draw())").output.tobytes() == picture.tobytes()


def test_what_cannot_be_read_in_the_session_is_told_once(make):
    class Odd:
        def __reduce__(self):
            return int, ("no number",)

    executor = make(BoundedPythonExecutor)
    executor.send_variables({"odd": Odd()})
    with pytest.raises(InterpreterError, match="odd cannot be had in the session: ValueError"):
        executor("1 + 1")
    assert executor("1 + 1").output == 2


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
def test_the_deadline_can_be_changed(make, kind):
    executor = make(kind, timeout_seconds=30)
    executor("import time")
    executor.timeout_seconds = 1
    with pytest.raises(ExecutionTimeoutError, match="maximum execution time of 1 seconds"):
        executor("time.sleep(2)")


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
