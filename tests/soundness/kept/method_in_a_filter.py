import os, random, time
class Thing:
    def __init__(self, x):
        self.x = x
        self.items = []
    def bump(self, n=1):
        self.items.append(self.x)
        return self
v1 = sum([2, id(os) % 2, random.randint(0, 3), 2].copy())
v2 = [(all([v1]) * 3), v1, 0]
v4 = Thing(v1).bump().bump()
v2 = list(filter(lambda n5: n5 != len(v4.bump().items), [n6 for n6, n7 in zip(v2, f"{(-2.25):.2f}{v1!r}")]))
