# profile: agent
# What a generator expression passes over takes time in each iteration.


def by_sum(limit):
    found = 0
    for n in range(1, limit):  # error: AF404
        if sum(i for i in range(1, n) if n % i == 0) == n:
            found += 1
    return found


# An item may end it early.
def any_of_them(limit):
    found = 0
    for n in range(1, limit):
        if any(n % i == 0 for i in range(1, n)):
            found += 1
    return found


any_of_them(300_000)
by_sum(2_000)
by_sum(300_000)
