# profile: agent
# Calls that lead to themselves end in a RecursionError and not in the evaluator.
import functools


class Itself:
    pass


Itself.__call__ = Itself()
try:
    Itself()()
except RecursionError:
    pass


class Bound:
    def method(self):
        return self


Bound.__call__ = Bound().method
later = functools.partial(print)
for _ in range(300):
    later = functools.partial(later)
later()
