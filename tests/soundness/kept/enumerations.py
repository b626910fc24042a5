from enum import Enum, IntEnum, auto, unique
class Color(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1
    def other(self):
        return Color.GREEN if self is Color.RED else Color.RED
    @property
    def label(self):
        return self.name.lower()
a1 = Color.RED.value + Color.GREEN.value
a2 = Color(2).name
a3 = Color["RED"].value
a4 = [c.name for c in Color]
a5 = len(Color)
a6 = Color.RED is Color.CRIMSON
a7 = Color.RED == Color.GREEN
a8 = str(Color.RED)
a9 = repr(Color.RED)
b1 = Color.RED.other().name
b2 = Color.RED.label
b3 = f"{Color.GREEN}"
b4 = {Color.RED: 1, Color.GREEN: 2}[Color.CRIMSON]
b5 = isinstance(Color.RED, Color)
b6 = Color.CRIMSON.name
b7 = Color["CRIMSON"].name
try:
    Color(9)
except ValueError:
    c1 = "no member"
try:
    Color["BLUE"]
except KeyError:
    c2 = "no name"
try:
    Color.RED.value = 3
except AttributeError:
    c3 = "fixed"
class State(Enum):
    IDLE = auto()
    BUSY = auto()
    DONE = auto()
d1 = [s.value for s in State]
state = State.IDLE
steps = 0
while state is not State.DONE:
    steps += 1
    state = State.BUSY if state == State.IDLE else State.DONE
d2 = steps
class Level(IntEnum):
    LOW = 1
    HIGH = 5
e1 = Level.HIGH > Level.LOW
e2 = Level.HIGH + 1
try:
    class Twice(Enum):
        A = 1
        A = 2
except TypeError:
    f1 = "twice"
@unique
class U(Enum):
    A = "a"
    B = "b"
f2 = U.B.value
try:
    @unique
    class V(Enum):
        A = 1
        B = 1
except ValueError:
    f3 = "duplicate"
class Planet(Enum):
    EARTH = (3, 4)
    MARS = (5, 6)
    def __init__(self, a, b):
        self.a = a
        self.b = b
f4 = Planet.EARTH.a
class Base(Enum):
    def shout(self):
        return self.name + "!"
class Derived(Base):
    X = 1
f5 = Derived.X.shout()
try:
    class More(Color):
        BLUE = 3
except TypeError:
    f6 = "closed"
f7 = Color.RED in Color
f8 = bool(Color.RED)
class Mode(str, Enum):
    A = "a"
f9 = Mode.A == "a"
