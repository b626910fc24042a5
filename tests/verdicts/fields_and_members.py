# profile: agent
# Loops and sizes over what the library makes out of classes.
import statistics
from collections import namedtuple
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, List, NamedTuple, Optional, TypeVar

T = TypeVar("T")


@dataclass
class Box:
    width: int
    items: List[int] = field(default_factory=list)
    next: Optional["Box"] = None


class Turn(Enum):
    LEFT = auto()
    RIGHT = auto()

    def other(self):
        return Turn.RIGHT if self is Turn.LEFT else Turn.LEFT


class Move(NamedTuple):
    row: int
    col: int = 1


Pair = namedtuple("Pair", "a b")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: "int | None") -> None:
        self.items.append(item)

    def pop(self) -> T | None:
        return self.items.pop() if self.items else None


def widen(box):
    while box.width < 10:
        box.width *= 2
    return box.width


def at_random():
    import random

    return random.random() < 0.01


widen(Box(1))
"x" * Box(5).width
if at_random():
    "x" * Box(10 ** 10).width  # error: AF201
if at_random():
    box = Box(0)
    while box.width < 10:  # error: AF402
        box.width *= 2
if at_random():
    ring = Box(1)
    ring.next = Box(2, next=ring)
    while ring is not None:  # error: AF401
        ring = ring.next
if at_random():
    chain = Box(1, next=Box(2))
    while chain is not None:
        chain = chain.next
if at_random():
    turn = Turn.LEFT
    while turn in (Turn.LEFT, Turn.RIGHT):  # error: AF401
        turn = turn.other()
if at_random():
    turn = Turn.LEFT
    while turn is not Turn.RIGHT:
        turn = turn.other()
if at_random():
    at = Move(0)
    while at.row != 3:  # error: AF401
        at = at._replace(row=(at.row + 2) % 4)
if at_random():
    at = Move(0)
    while at.row < 3:
        at = Move(at.row + 1, at.col)
if at_random():
    pair = Pair(0, 1)
    while pair.a < 10:  # error: AF401
        pair = Pair(pair.a * 2, pair.b)
if at_random():
    pair = Pair(0, 1)
    while pair.a < 10:
        pair = Pair(pair.a + pair.b, pair.b)
if at_random():
    stack = Stack()
    stack.push(0)
    while stack.items:  # error: AF402
        stack.push(stack.pop())
if at_random():
    mean = 8
    while mean != 0:  # error: AF401
        mean = statistics.mean([mean, mean])
if at_random():
    mean = 8
    while mean > 1:
        mean = statistics.mean([mean, 0])


@contextmanager
def logged():
    yield


if at_random():
    n = 1
    while n > 0:  # error: AF401
        with logged():
            n = 3 - n
if at_random():
    n = 1
    while n > 0:  # error: AF401
        with suppress(ZeroDivisionError):
            n = 1
            1 / 0
if at_random():
    n = 1
    while n > 0:
        with suppress(ValueError):
            n = 1
            1 / 0
if at_random():
    stack = Stack[int]()
    stack.push(0)
    while stack.items:
        stack.pop()
