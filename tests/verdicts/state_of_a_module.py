# profile: library
# What a module holds can be changed by its other functions, and by other modules, between calls of a function.
import time

running = True
ready = None
settings = {"on": True}
pending = [1]
spins = 0


class State:
    on = True
    items = []

    def leave(self):
        State.on = False
        State.items.append(1)

    def wait(self):
        while State.on:
            pass

    @staticmethod
    def wait_for_items():
        while not State.items:
            pass


state = State()
state.busy = True


def stop():
    global running, ready
    running = False
    ready = 1
    settings["on"] = False
    pending.clear()
    state.busy = False


def assigned_elsewhere():
    while running:
        pass


def none_until_set():
    while ready is None:
        time.sleep(0.1)


def in_a_dict():
    while settings["on"]:
        pass


def in_a_list():
    while pending:
        pass


def in_an_attribute():
    while state.busy:
        pass


def through_an_alias():
    held = state
    table = settings
    while held.busy or table["on"]:
        pass


def never_assigned_again():
    while spins < 10:  # warning: AF402
        pass


def of_its_own():
    spins = 0
    while spins < 10:  # error: AF402
        pass


def of_its_own_and_left():
    spins = 0
    while spins < 10:
        spins += 1
