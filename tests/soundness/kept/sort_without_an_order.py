# Some of these pairs compare, and others are not known to.
import os
v1 = id(os) % 5
v2 = [3]
v2.extend([1, 4, v1, 2, v1, 0, 5, 3, 1, 4, 2, v1, 5, 0, 1, 3, 4, 2, 0, 5, 1, 3])
v27 = sum(sorted(v2, reverse=True))
v28 = sorted(v2, key=lambda x: -x)[0]
