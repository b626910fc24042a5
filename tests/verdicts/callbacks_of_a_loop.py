# profile: library
# A function given away may be called at any time; what it assigns is not constant.
callbacks = []


def given_to_an_argument(register):
    done = False

    def finish():
        nonlocal done
        done = True

    register(finish)
    while not done:
        pass


def kept_in_the_module():
    done = False

    def finish():
        nonlocal done
        done = True

    callbacks.append(finish)
    while not done:
        pass


def kept_in_an_attribute(self):
    done = []
    self.finish = lambda: done.append(1)
    while not done:
        pass


def kept_to_itself():
    done = False

    def finish():
        nonlocal done
        done = True

    while not done:  # error: AF402
        pass


def called():
    done = False

    def finish():
        nonlocal done
        done = True

    while not done:
        finish()
