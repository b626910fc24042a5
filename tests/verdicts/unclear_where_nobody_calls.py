# profile: library
import itertools
import time


class Delay:
    def by_time(self):
        for n in itertools.count(5000, 1000):
            started = time.time()
            z = [0] * (n * n)  # warning: AF201
            interpolate(z)
            if time.time() - started > 3:
                return z

    def by_two(self, a, b):
        if a + b > 3:
            return [0] * 10**11  # warning: AF201

    def by_one(self, a):
        if a > 3:
            return [0] * 10**11  # error: AF201

    def always(self):
        return [0] * 10**11  # error: AF201
