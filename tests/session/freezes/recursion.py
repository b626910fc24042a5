# expect: crashed raised timed_out out_of_memory
# state: kept advanced
import sys
sys.setrecursionlimit(10**9)
def f():
    return [*map(lambda _: f(), [0])]
f()
