# profile: agent
import random


def at_random():
    return random.random() < 0.01


if at_random():
    print(sum(n for n in range(10**11) if n % 7 == 3))  # error: AF302
if at_random():
    print(list(filter(lambda n: n % 7 == 3, range(10**11))))  # error: AF302
if at_random():
    print(sum(1 for a in range(5000) for b in range(5000) for c in range(5000) if a * b == c))  # error: AF302
if at_random():
    print(sum(n for n in range(10**6) if n % 7 == 3))
if at_random():
    print(list(filter(lambda n: n > 7, range(10**6))))
