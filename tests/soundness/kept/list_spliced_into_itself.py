v = [1, 2, 3]
for i in range(16):
    v[1:2] = v
n = len(v)
