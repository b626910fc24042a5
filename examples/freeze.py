"""One operation that freezes the interpreter: a number of 332 million bits, computed in a single C call."""

x = 10 ** 10 ** 8
print("never printed")
