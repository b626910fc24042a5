# expect: timed_out
# state: kept
# stack: 1
sum(range(10**12))
