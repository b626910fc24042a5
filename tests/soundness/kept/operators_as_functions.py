import operator
from functools import reduce


def tried(function, *args):
    try:
        return function(*args)
    except TypeError:
        return "TypeError"


numbers = tried(operator.concat, -4, -3)
in_place = tried(operator.iconcat, 4, 3)
mixed = tried(operator.concat, "a", 3)
texts = tried(operator.concat, "a", "b")
lists = reduce(operator.concat, [[1], [2, 3], []])
sums = tried(operator.add, -4, -3)
