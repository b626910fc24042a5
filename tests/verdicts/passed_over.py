# profile: agent
# What a generator expression passes over takes its time as well.
from itertools import product

found = sum(1 for t in product(range(60), repeat=8) if sum(t) == 17)  # error: AF302
