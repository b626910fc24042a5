# profile: agent
import sys


def f(n):
    return n if n < 2 else f(n - 1) + f(n - 2)


sys.setrecursionlimit(50)
try:
    f(60)
except RecursionError:
    pass
