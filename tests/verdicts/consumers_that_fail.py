# profile: agent
# Each fails at an early item, before the time that all would take is spent.
import heapq
import math

R = range(10**12)
known = {i: i for i in range(500)}


def attempt(run):
    try:
        run()
    except (TypeError, ValueError, AttributeError, IndexError, MemoryError):
        pass


attempt(lambda: sum([i] for i in range(10**12)))
attempt(lambda: sum(range(10**12), []))
attempt(lambda: sum(map(known.get, range(10**12))))
attempt(lambda: max(range(10**12), key=len))
attempt(lambda: max(None for _ in R))
attempt(lambda: set([i] for i in R))
attempt(lambda: dict.fromkeys([i] for i in R))
attempt(lambda: dict(range(10**12)))
attempt(lambda: {}.update(R))
attempt(lambda: math.fsum(map(str, R)))
attempt(lambda: heapq.nlargest(3, ({} for i in R)))
attempt(lambda: bytes(i for i in range(10**12)))
attempt(lambda: bytearray(map(int, R)))
attempt(lambda: sorted(range(2**61)))
{1}.isdisjoint(range(2, 10**12)) if False else None
{1}.issuperset(range(10**9))
