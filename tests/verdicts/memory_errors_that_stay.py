# profile: agent
import contextlib

with contextlib.suppress(MemoryError):
    x = [0] * 10**10  # warning: AF201


class Safe:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return True


with Safe():
    y = [0] * 10**10  # warning: AF201


def last():
    try:
        return [0] * 10**10  # warning: AF201
    finally:
        return 1


last()
z = [0] * 10**10  # error: AF201
