# profile: library
import random


def without_fives():
    n = random.randrange(95, 189, 2)
    while n % 5 == 0:
        n = n // 5
    return n


def without_threes(n: int):
    n = random.randrange(1, 1000)
    while not n % 3:
        n //= 3
    return n


def odd_part():
    n = random.randint(0, 10)
    while n % 2 == 0:
        if n == 0:
            break
        n //= 2
    return n


def never():
    n = 0
    while n % 5 == 0:  # error: AF401
        n = n // 5
