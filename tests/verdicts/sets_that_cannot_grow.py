# profile: agent
# A set has no more members than there are values to be drawn.
import random


def draw(count, highest):
    drawn = set()
    while len(drawn) < count:  # error: AF403
        drawn.add(random.randint(1, highest))
    return drawn


def draw_fewer(count, highest):
    drawn = set()
    while len(drawn) < count:
        drawn.add(random.randint(1, highest))
    return drawn


if random.random() < 0.1:
    draw(60, 49)
if random.random() < 0.1:
    draw_fewer(49, 49)
