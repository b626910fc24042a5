# expect: timed_out
# flags: --timeout 1
# stack: 2
x = 1
10 ** 10 ** 8
