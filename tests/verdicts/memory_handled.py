# profile: agent
# Where a MemoryError is handled the program goes on, so nothing is certain.
import itertools

try:
    pad = "x" * 10 ** 11  # warning: AF201
except MemoryError:
    pad = ""

try:
    numbers = list(itertools.count())  # warning: AF301
except Exception:
    numbers = []

try:
    buffer = bytearray(10 ** 12)  # warning: AF204
except (ValueError, MemoryError):
    buffer = b""

try:
    ids = list(range(10 ** 10))  # warning: AF202
except:
    ids = []


def filled():
    return "7".zfill(10 ** 11)  # warning: AF203


try:
    filled()
except MemoryError:
    print("too wide")

# These handlers do not take it.
try:
    try:
        "x" * 10 ** 11  # error: AF201
    except ValueError:
        pass
except (KeyError, OSError) as error:
    print(error)

# What a `finally` does with it is not looked into.
try:
    "x" * 10 ** 11  # warning: AF201
finally:
    print("done")
