# profile: agent
# What a call read has changed: its result is not the one before.
step = 1


def down(n):
    return n if n < 2 else down(n - step) + down(n - step - 1)


first = down(10)
step = 5
second = down(70)
box = [1]


def reads(n):
    return n if n < 2 else reads(n - box[0]) + reads(n - box[0] - 1)


reads(10)
box[0] = 5
reads(70)
