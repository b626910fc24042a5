for v in [1000, 2**40]:
    n = sum(k * 2 for k in [v])
    globals()['x'] = 7
