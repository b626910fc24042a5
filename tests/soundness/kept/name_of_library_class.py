names = []
for kind in (ZeroDivisionError, IOError, int, len):
    names.append(kind.__name__)
one = {ZeroDivisionError.__name__, 3}
import math
root = math.sqrt.__name__
