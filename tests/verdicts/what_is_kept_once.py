# profile: agent
# A folded constant and a repetition by one are one object however often they are kept.
def folded():
    return ["a" * 1000 for i in range(3 * 10**6)]


def pairs():
    return [(1, 2) * 100 for _ in range(2 * 10**6)]


def same(s):
    return [s * 1 for _ in range(2 * 10**6)]


folded()
pairs()
same("x" * 1000)
