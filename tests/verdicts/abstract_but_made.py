# profile: agent
# Abstract methods keep `object.__new__` from making instances; what is made by another is made all the same.
from abc import ABC, abstractmethod


class Names(list, ABC):
    @abstractmethod
    def first(self): ...


class Failure(Exception, ABC):
    @abstractmethod
    def code(self): ...


class Special(Failure):
    pass


class Number(ABC):
    @abstractmethod
    def value(self): ...

    def __new__(cls):
        return 5


class Through(ABC):
    @abstractmethod
    def value(self): ...

    def __new__(cls):
        return super().__new__(cls)


def made_all_the_same(kind):
    try:
        kind()
    except TypeError:
        while True:  # warning: AF401
            pass


made_all_the_same(Names)
made_all_the_same(Failure)
made_all_the_same(Special)
made_all_the_same(Number)


def may_be_made():
    try:
        Through()
    except TypeError:
        return
    while True:  # warning: AF401
        pass


may_be_made()
