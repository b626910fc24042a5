# expect: timed_out
# state: kept
# stack: 1 2
while True:
    pass
