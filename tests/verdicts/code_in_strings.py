# profile: agent
import random

limit = 1
idle = 0


def calculate(text):
    return eval(text)  # error: AF302


def harmless(text):
    return eval(text)


print(harmless("sum(range(10**4))"), eval("9 ** 9"), eval(" 1 + 1"))
exec("while idle:\n    pass")
exec("total = 0\nwhile total < 10:\n    total += 1")
if random.random() < 0.5:
    exec("while limit:\n    pass")  # error: AF402
elif random.random() < 0.5:
    exec(compile("import time\ntime.sleep(500)", "<job>", "exec"))  # error: AF501
elif random.random() < 0.5:
    exec("n = 3\nwhile n:\n    n += 1", {})  # error: AF403
elif random.random() < 0.5:
    exec("while n:\n    n -= 1", {"n": 3})
elif random.random() < 0.5:
    print(calculate("sum(range(10**12))"))
elif random.random() < 0.5:
    print(eval("9 ** 9 ** 9"))  # error: AF101
elif random.random() < 0.5:
    print(eval("10**10**10", {"__builtins__": {}}, {}))  # error: AF101
elif random.random() < 0.5:
    print(eval("x ** x ** x", {"__builtins__": {}, "x": 9}))  # error: AF101
elif random.random() < 0.5:
    print(eval("pow(9, 9 ** 9)", {"__builtins__": {}}))
exec("def never():\n    while True:\n        pass")
try:
    exec("while True pass")
except SyntaxError:
    print("no code")
