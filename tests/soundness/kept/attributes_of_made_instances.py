import threading
from dataclasses import dataclass


@dataclass
class Data:
    run: bool

    def stop(self):
        self.run = False


class Base:
    def __init__(self, v):
        self.x = v

    def hello(self):
        return 1


class Again(Base):
    def hello(self):
        return super().hello()

    def anew(self, v):
        super().__init__(v)


class Rebound:
    def __init__(self, other, v):
        self = other
        self.y = v


class Fine(Base):
    def __init__(self, v):
        super().__init__(v)
        self.z = v


def share(value):
    thread = threading.Thread(target=repr, args=(value,))
    thread.start()
    thread.join()


data = Data(True)
share(data)
data.stop()
stopped = data.run

again = Again(5)
share(again)
again.anew(2)
by_base = again.x
again.hello()

first = Rebound(again, 5)
share(again)
Rebound(again, 2)
rebound = again.y

fine = Fine(3)
share(fine)
kept = fine.z
