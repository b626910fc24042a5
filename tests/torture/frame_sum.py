# expect: timed_out
# flags: --timeout 1
# stack: 2
def f(n):
    return sum(range(n))
f(10 ** 13)
