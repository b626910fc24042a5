# expect: raised
# state: advanced
# error: EOFError
input()
