# An `__init__` reached through `super()` sets attributes of the same object.
class Base:
    def __init__(self, x):
        self.x = x
        self.items = [x]


class Thing(Base):
    def __init__(self, x):
        super().__init__(x * 2)


thing = Thing(3)
first = sorted(thing.items)[0]
