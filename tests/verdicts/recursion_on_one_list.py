# profile: agent
# Calls with equal lists differ where the program asks which list it is.


def same(items, first, depth):
    if items is not first or depth == 0:
        return 0
    return same(list(items), first, depth - 1) + same(list(items), first, depth - 1)


numbers = [1, 2]
print(same(numbers, numbers, 60))
