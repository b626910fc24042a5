# profile: agent
# Nothing runs when the last reference to these goes.


class Harmless:
    def __init__(self, box):
        self.box = box


def stays():
    box = []
    held = Harmless(box)
    while not held.box:  # error: AF402
        box = None


stays()
