# profile: agent
import functools

memory = {}


def remembered(n):
    if n < 2:
        return n
    if n not in memory:
        memory[n] = remembered(n - 1) + remembered(n - 2)
    return memory[n]


@functools.lru_cache(maxsize=None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)


calls = 0


def counted(n):
    global calls
    calls += 1
    return n if n < 2 else counted(n - 1) + counted(n - 2)


def plain(n, unused=None):
    return n if n < 2 else plain(n - 1) + plain(n=n - 2)


alias = plain


class Tree:
    def __init__(self, arms):
        self.arms = arms

    def leaves(self, depth):
        if depth == 0:
            return 1
        return sum(self.leaves(depth - 1) for _ in range(self.arms))

    def nodes(self, depth):
        if depth == 0:
            return 1
        return 1 + self.nodes(depth - 1) + self.nodes(depth - 1)


remembered(60)
cached(60)
counted(15)
plain(20)
Tree(2).leaves(5)
Tree(2).nodes(20)
alias(70)  # error: AF603
