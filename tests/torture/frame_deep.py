# expect: timed_out
# flags: --timeout 1
# stack: 3
def f(n):
    if n: f(n - 1)
    while True: pass
f(150)
