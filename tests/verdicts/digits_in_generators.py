# profile: agent
# Each digit of a number is a number.


def armstrong(limit):
    found = []
    for n in range(limit):  # error: AF404
        digits = str(n)
        if sum(int(d) ** len(digits) for d in digits) == n:
            found.append(n)
    return found


armstrong(500)
armstrong(10**10)
