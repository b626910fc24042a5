# profile: agent
import random
from collections import Counter, deque

ring = deque([1, 2, 3, 4])
while ring[0] != 3:
    ring.rotate(1)
ring.reverse()
ring.extendleft([7, 8])
assert list(ring) == [8, 7, 2, 1, 4, 3]


def turn(wanted):
    ring = deque([1, 2, 3, 4])
    while ring[0] != wanted:  # error: AF402
        ring.rotate(1)


def take(counts, by):
    while sum(counts.values()) > 0:  # error: AF402
        letter, _ = counts.most_common(1)[0]
        counts[letter] -= by


if random.random() < 0.5:
    turn(5)
if random.random() < 0.5:
    take(Counter("mississippi"), 1)
if random.random() < 0.5:
    take(Counter("mississippi"), 0)
