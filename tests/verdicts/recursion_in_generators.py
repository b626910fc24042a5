# profile: agent
# Recursion within what a builtin takes from a generator expression.
import random

calls = 0


def coins(kinds, amount):
    if amount <= 0:
        return 0
    return 1 + min(coins(kinds, amount - c) for c in kinds)


def ways(n):
    return 1 if n < 2 else sum(ways(n - step) for step in (1, 2))


def reaches(n):
    return n == 0 or n > 0 and any(reaches(n - step) for step in (2, 4))


def counted(n):
    global calls
    calls += 1
    if n < 2:
        return n
    return counted(n - 1) + counted(n - 2)


def paths(size):
    found = 0

    def walk(row, column):
        nonlocal found
        if row == size and column == size:
            found += 1
            return
        if row < size:
            walk(row + 1, column)
        if column < size:
            walk(row, column + 1)

    walk(0, 0)  # error: AF603
    return found


def paths_of_few(size):
    found = 0

    def walk(row, column):
        nonlocal found
        if row == size and column == size:
            found += 1
            return
        if row < size:
            walk(row + 1, column)
        if column < size:
            walk(row, column + 1)

    walk(0, 0)
    return found


def stops_when_counted(n):
    # What is counted decides: it is no mere counter.
    global calls
    calls += 1
    if n < 2 or calls > 5000:
        return n
    return stops_when_counted(n - 1) + stops_when_counted(n - 2)


print(coins([1, 2, 5], 12), ways(15), reaches(21), counted(12), paths_of_few(4))
if random.random() < 0.1:
    print(coins([1, 2, 5], 70))  # error: AF603
elif random.random() < 0.1:
    print(ways(60))  # error: AF603
elif random.random() < 0.1:
    print(reaches(121))  # error: AF603
elif random.random() < 0.1:
    print(counted(60), calls)  # error: AF603
elif random.random() < 0.1:
    print(paths(20))
else:
    print(stops_when_counted(60))
