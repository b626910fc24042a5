# profile: agent
# What runs when the last reference goes is a call like any other.
import weakref


class Leaves:
    def __init__(self, box):
        self.box = box

    def __del__(self):
        self.box.append(1)


def deleted():
    box = []
    held = Leaves(box)
    while not box:
        held = None


def cleaned_up(box):
    try:
        yield 1
    finally:
        box.append(1)


def closed():
    box = []
    held = cleaned_up(box)
    next(held)
    while not box:
        held = None


def called_back():
    class Plain:
        pass

    box = []
    held = Plain()
    watch = weakref.ref(held, lambda _: box.append(1))
    while not box:
        held = None
    return watch


deleted()
closed()
called_back()
