# profile: agent
def search(wanted):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    found, i = 0, 0
    while found < wanted:
        if fib(i) % 2 == 0:  # error: AF603
            found += 1
        i += 1
    return i


print(search(4))
print(search(20))
