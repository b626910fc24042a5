# profile: agent
# A loop over a list that it extends has no end where it always extends it by something.
import random


def extends_itself(words):
    for word in words:  # error: AF405
        words.extend([word, word])
    return words


def extends_for_a_while(words):
    for word in words:
        words.extend([word] if len(word) < 5 else [])
        if len(words) > 100:
            break
    return words


def extends_by_nothing(words, more):
    for word in words:
        words.extend(more)
    return words


if random.random() < 0.1:
    extends_itself(["a"])
extends_for_a_while(["a"])
extends_by_nothing(["a", "b"], [])


def rounds():
    # Names that come round, as keys that are all there.
    from itertools import cycle

    last = {}
    for turn, name in enumerate(cycle(["a", "b"])):  # error: AF401
        last[name] = turn
        if len(last) > 2:
            break
    return last


def rounds_to_the_third():
    from itertools import cycle

    last = {}
    for turn, name in enumerate(cycle(["a", "b", "c"])):
        last[name] = turn
        if len(last) > 2:
            break
    return last


rounds_to_the_third()
if random.random() < 0.1:
    rounds()
