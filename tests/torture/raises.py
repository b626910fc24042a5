# expect: raised
# error: ZeroDivisionError
# status: 1
1 / 0
