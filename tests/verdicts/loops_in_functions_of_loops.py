# profile: agent
# What a function takes grows with what the loop around it gives it.


def divisors(n):
    total = 0
    for i in range(1, n):
        if n % i == 0:
            total += i
    return total


def perfect(limit):
    return [n for n in range(1, limit) if divisors(n) == n]  # error: AF404


perfect(2_000)
perfect(300_000)
