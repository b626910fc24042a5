# expect: raised
# error: RecursionError
def f(): return f()
f()
