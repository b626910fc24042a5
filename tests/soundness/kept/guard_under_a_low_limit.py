# Small results need a guard too where the limit is lower still.
x = 4
y = 0
if x >= (2 ** 40):
    y = 1
z = x << 60
w = (10 ** 12) * (10 ** 12)
