# profile: agent
a, b = 0, 1
for k in range(10**10):  # error: AF404
    a, b = b % 7, a
    for i, c in [(1, 2), (3, 4)]:
        [d, *e] = (i, c, k)
    f = [x + y for x, y in ((1, 2), (3, 4))]
