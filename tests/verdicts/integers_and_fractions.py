# profile: agent
# No integer is what has a fraction.
import random

random.seed(1)
while random.randint(1, 10) == 7.5:
    pass
while random.randint(1, 10) != 7.0:
    pass
while random.randint(1, 10) != 7.5:  # error: AF402
    pass
