# profile: agent
# Loops that count and look for something that does not come in any time: the exit lies beyond what can be reached.
import random


def at_random():
    return random.random() < 0.01


if at_random():
    x = 8
    while True:  # error: AF404
        y = 7 - 1 / x
        if 1 / x + 1 / y == 1 / 7:
            break
        x += 1
if at_random():
    total = 1
    i = 1
    while True:  # error: AF404
        total += (i + 1) * (1 / 6) ** i * (5 / 6)
        if total > 400:
            break
        i += 1


def search(target):
    n = 2
    while True:  # error: AF403
        if 1 / n + 1 / (n + 1) == target:
            return n
        n += 1


if at_random():
    search(3)
if at_random():
    k = 10
    while True:  # error: AF404
        if 100 / k < 0.00000000001:
            break
        k += 1
if at_random():
    k = 0
    seen = 0.5
    while seen != 0.25:  # error: AF403
        k = k + 1
        seen = 1 / (k + 10) + 0.5
if at_random():
    m = 0
    while m < 10 ** 6:
        m += 1
if at_random():
    total = 1
    i = 1
    while True:
        total += (i + 1) * (1 / 6) ** i
        if total > 1.4:
            break
        i += 1
if at_random():
    k = 10
    while True:
        if 100 / k < 0.001:
            break
        k += 1
