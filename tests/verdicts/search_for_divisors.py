# profile: agent
# A number that is known has no divisors but its own.
import random


def is_prime(n):
    for i in range(2, n):  # error: AF404
        if n % i == 0:
            return False
    return True


def largest_factor(n):
    largest, i = 1, 2
    while i <= n:  # error: AF404
        if n % i == 0:
            largest = i
            n //= i
        else:
            i += 1
    return largest


def is_composite(n):
    for i in range(2, n):
        if n % i == 0:
            return True
    return False


if random.random() < 0.5:
    is_prime(1_000_000_000_039)
if random.random() < 0.5:
    largest_factor(2 * 1_000_000_000_000_000_003)
# It has a divisor of 6 digits.
if random.random() < 0.5:
    is_composite(1_000_003 * 1_000_000_000_039)
