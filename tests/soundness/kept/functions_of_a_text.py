# What a text leaves behind that defines functions, and what becomes of them.
names = {}
exec("LIMIT = 3\nSCALE = 2\ndef f(n):\n    return n + LIMIT\ndef g(n, m=4):\n    return f(n) + m\n", names)
size = len(names)
keys = sorted(names)
limit = names["LIMIT"]
values = names["f"](2), names["g"](1)
names["LIMIT"] = 5
others = names["f"](2), names["g"](1), names.get("SCALE")
exec("def g(n):\n    return h(n) if n else 0\ndef h(n):\n    return 7\n")
before = g(0), g(1), h(1)


def h(n):
    return 9


after = g(1), h(1)
exec("STEP = 3\ndef step(n):\n    return n + STEP\n", globals())
stepped = step(2)
STEP = 4
stepped_again = step(2)
square = eval("lambda n: n * n")
nine = square(3)
called = callable(names["f"]), bool(square), square is square, names["f"] == names["f"]
title = names["f"].__name__


def build(text):
    exec(text)
    made = locals()
    return sorted(made)


built = build("def inner():\n    return 1\n")


def publish(text):
    exec(text, globals())


publish("def shown(n):\n    return n + 1\nlevel = 2\n")
shown_level = shown(1), level
exec = lambda text, space: space.update(level=text)
exec(8, globals())
replaced = level
