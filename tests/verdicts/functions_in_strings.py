# profile: agent
# Functions that code in strings defines, and that are called later.
import random

SOURCE = """
LIMIT = 10


def odd(n):
    while n != LIMIT:
        n += 2
    return n


def even(n):
    return odd(n * 2) if n < 0 else twice(n)


def twice(n):
    return n * 2
"""


def maybe():
    return random.random() < 0.01


names = {}
exec(SOURCE, names)
print(names["odd"](4), names["even"](3))
if maybe():
    names["odd"](5)  # error: AF403
if maybe():
    exec("def spin(n):\n    while n:\n        pass\n")
    print(spin(0))
    spin(1)  # error: AF402
if maybe():
    exec("def stay(n):\n    while n:\n        pass\n", globals())
    stay(1)  # error: AF402
count = eval("lambda n: sum(1 for _ in range(n))")
print(count(3))
if maybe():
    endless = eval("lambda: sum(iter(int, 1))")
    endless()  # error: AF301
exec("def spun(n):\n    while n:\n        pass\n")


def spun(n):
    return n


print(spun(1))
other = {}
exec(SOURCE, other)
other["LIMIT"] = 11
print(other["odd"](5))
patched = {}
exec("def go():\n    return True\ndef run():\n    while go():\n        pass\n", patched)
patched["go"] = lambda: False
patched["run"]()
