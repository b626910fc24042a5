# profile: agent
def renamed():
    value = 15
    while True:  # error: AF401
        if value % 3 == 0 and value % 10 in (4, 9):
            break
        value += 15
    return value


def just_found():
    value = 15
    while True:
        if value % 3 == 0 and value % 10 in (4, 5):
            break
        value += 15
    return value


def chinese():
    n = 1
    while not (n % 7 == 5 and n % 11 == 3):
        n += 1
    return n


def not_only_the_remainder():
    n = 1
    while n % 2 == 1:
        n += 2
        if n > 100:
            break
    return n


just_found()
chinese()
not_only_the_remainder()
renamed()
