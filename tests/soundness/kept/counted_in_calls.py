# Calls that are known already count as well.
calls = 0


def counted(n):
    global calls
    calls += 1
    return n if n < 2 else counted(n - 1) + counted(n - 2)


def paths(size):
    found = steps = 0

    def walk(row, column):
        nonlocal found, steps
        steps += 2
        if row == size and column == size:
            found += 1
            return 0
        down = walk(row + 1, column) if row < size else 0
        right = walk(row, column + 1) if column < size else 0
        return down + right + (1 if steps > 10 else 0)

    return walk(0, 0), found, steps


value, all_paths = counted(14), paths(4)
after = calls
again = counted(14)


def ways(n):
    return 1 if n < 2 else sum(ways(n - step) for step in (1, 2))


total = ways(14)
