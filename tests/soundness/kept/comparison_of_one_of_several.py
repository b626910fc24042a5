# What stands before a comparison may be only one of the ways that lead to it.
import os, random
v1 = id(os) % 2
c1 = [1, 2] if (len(os.environ.get('ANTIFREEZE_SEED', 'abc')) if random.choice([1, 2, 5]) > 0 else 6) > v1 else [3]
v4 = (5 >> 3)
n10 = int('7' * 50)
c12 = 0
while c12 < 5 and ((n10 if v4 >= v4 else 5) < n10):
    c12 += 1
a = id(os) % 2
b = id(os) % 3
if (a if random.random() < 2 else b):
    c2 = (a, b)
else:
    c2 = (a, b, 0)
c3 = 1 if not (a if random.random() < 2 else b) else b
c4 = 1 if a < (7 if random.random() < 2 else -1) else 2
c5 = 1 if (a and b) < 1 else 2
c6 = 1 if b > (a or 1) else (a, b)
