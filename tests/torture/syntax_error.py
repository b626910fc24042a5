# expect: raised
# error: SyntaxError
def f(:
    pass
