# expect: timed_out
# flags: --timeout 1
def g():
    try:
        yield 1
    finally:
        while True: pass
x = g()
next(x)
