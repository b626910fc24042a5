# profile: agent
# Abstract classes have no instances, members of an enumeration cannot be assigned to, and an OrderedDict notices what moves.
import sys
from abc import ABC, ABCMeta, abstractmethod
from collections import OrderedDict
from enum import Enum


class Shape(ABC):
    @abstractmethod
    def area(self): ...


class Square(Shape):
    def area(self):
        return 1


class Open(metaclass=ABCMeta):
    @property
    @abstractmethod
    def name(self): ...


class Colour(Enum):
    RED = 1


def never_made(kind):
    try:
        while True:
            kind()
    except TypeError:
        return


def made():
    square = Square()
    while square.area():  # error: AF402
        pass


def assigned():
    try:
        while True:
            Colour.RED = 2
    except AttributeError:
        return


def least_recent(entries):
    while len(entries) > 2:
        entries.popitem(last=False)
    return next(iter(entries))


def most_recent(entries):
    while len(entries) > 2:  # error: AF402
        entries.move_to_end("a")


def moved_meanwhile(entries):
    try:
        for name in entries:
            entries.move_to_end(name)
    except RuntimeError:
        return


never_made(Shape)
never_made(Open)
assigned()
least_recent(OrderedDict(a=1, b=2, c=3))
moved_meanwhile(OrderedDict(a=1, b=2))
if len(sys.argv) > 1:
    made()
most_recent(OrderedDict(a=1, b=2, c=3))
