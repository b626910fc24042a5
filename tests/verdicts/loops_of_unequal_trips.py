# profile: agent
# What the inner loop takes grows with the variable of the outer one.
import random


def pairs(n):
    total = 0
    for i in range(n):  # error: AF404
        for j in range(i):
            total += i ^ j
    return total


def few_pairs(n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += i ^ j
    return total


def inversions(items):
    count = 0
    for i in range(len(items)):  # error: AF404
        for j in range(i + 1, len(items)):
            if items[i] > items[j]:
                count += 1
    return count


def counted_by_hand(n):
    i = total = 0
    while i < n:  # error: AF404
        j = i
        while j > 0:
            total += j
            j -= 1
        i += 1
    return total


# The inner loop goes round the more often the earlier it is.
def ends_early(n):
    for i in range(n):
        for j in range(n - i):
            if j > 5:
                break
    return n


# One of the iterations leaves.
def leaves(n):
    for i in range(n):
        for j in range(i):
            if i == 2000:
                return j
    return n


if random.random() < 0.5:
    pairs(300_000)
if random.random() < 0.5:
    few_pairs(2_000)
if random.random() < 0.5:
    inversions(list(range(300_000, 0, -1)))
if random.random() < 0.5:
    counted_by_hand(300_000)
if random.random() < 0.5:
    ends_early(100_000)
if random.random() < 0.5:
    leaves(300_000)
