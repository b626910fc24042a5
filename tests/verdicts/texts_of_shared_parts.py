# profile: agent
# Parts that are shared are written as often as they are reached.
import json
import random


def at_random():
    return random.random() < 0.01


def doubled(levels):
    part = ["leaf"]
    for _ in range(levels):
        part = [part, part]
    return part


if at_random():
    print(len(repr(doubled(40))))  # error: AF203
if at_random():
    print(len(json.dumps({"tree": doubled(40), "of": 2}, indent=2)))  # error: AF203
if at_random():
    print(f"{doubled(60)}")  # error: AF203
if at_random():
    print(len(repr(doubled(8))), json.dumps(doubled(8)))
if at_random():
    part = doubled(3)
    part.append(part)
    print(part)
if at_random():
    print(len(doubled(40)))
