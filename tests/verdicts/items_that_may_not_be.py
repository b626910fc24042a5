# profile: agent
# A function that a builtin calls for each item is called for none where there is none, and nobody knows whether there is.
import re
from collections import defaultdict


def huge(_):
    return 10 ** 10 ** 9  # warning: AF101


def endless(_):
    while True:  # warning: AF401
        pass


found = re.findall("z", "abc")
print(list(map(huge, found)))
print(list(map(endless, found)))
print(list(filter(huge, found)), sorted(found, key=endless), max(found, key=huge, default=0))
print([pair for pair in zip(found, map(huge, [1]))])
