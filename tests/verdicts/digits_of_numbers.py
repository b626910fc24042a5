# profile: agent
# What is made of the digits of a number can be read as numbers again.
import random


def reversed_too(limit):
    total = 0
    for n in range(1, limit):  # error: AF404
        total += int(str(n)[::-1])
    return total


def first_digits(limit):
    total = 0
    for n in range(1, limit):  # error: AF404
        total += int(str(n)[0])
    return total


# A sign is no digit, and nothing is no number.
def with_a_sign(limit):
    total = 0
    for n in range(-1, limit):
        total += int(str(n)[0])
    return total


def without_any(limit):
    total = 0
    for n in range(limit):
        total += int(str(n)[1:])
    return total


def with_letters(limit):
    total = 0
    for n in range(limit):
        total += int(hex(n)[2:])
    return total


if random.random() < 0.5:
    reversed_too(10**10)
if random.random() < 0.5:
    first_digits(10**10)
for run in (with_a_sign, without_any, with_letters):
    try:
        run(10**10)
    except ValueError:
        print("no digits")
