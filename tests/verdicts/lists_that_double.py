# profile: agent
import random


def words(rounds):
    out = [""]
    for _ in range(rounds):
        out = [word + letter for word in out for letter in ("a", "b")]  # error: AF202
    return out


def few_words(rounds):
    out = [""]
    for _ in range(rounds):
        out = [word + letter for word in out for letter in ("a", "b")]
    return out


def subsets(items):
    result = [[]]
    for item in items:
        result += [subset + [item] for subset in result]  # error: AF202
    return result


def few_subsets(items):
    result = [[]]
    for item in items:
        result += [subset + [item] for subset in result]
    return result


def only_some(rounds):
    out = [1]
    for _ in range(rounds):
        out = [n for n in out for k in (0, 1) if k == n]
    return out


def taken_away(rounds):
    out = [1] * 50_000
    for _ in range(rounds):
        out = [out.pop() for n in out for _ in (0, 1)]
    return out


few_words(18)
few_subsets(range(15))
only_some(60)
taken_away(3)
if random.random() < 0.1:
    words(60)
if random.random() < 0.1:
    subsets(range(40))
