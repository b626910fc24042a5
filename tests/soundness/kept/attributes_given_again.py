import threading


class Other:
    pass


class Giver:
    def __init__(self, other, v):
        other.x = v


class Single:
    one = None

    def __new__(cls, v):
        if Single.one is None:
            Single.one = object.__new__(cls)
        return Single.one

    def __init__(self, v):
        self.single = v


def share(value):
    thread = threading.Thread(target=repr, args=(value,))
    thread.start()
    thread.join()


other = Other()
Giver(other, 5)
share(other)
Giver(other, 2)
by_another = other.x

single = Single(5)
share(single)
Single(2)
anew = single.single
