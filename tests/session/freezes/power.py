# expect: timed_out
# state: kept
# stack: 1
10 ** 10 ** 8
