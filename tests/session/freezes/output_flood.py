# expect: too_much_output timed_out
# state: kept
while True:
    print("x" * 65536)
