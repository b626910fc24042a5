# expect: raised
# error: KeyboardInterrupt
# status: 130
raise KeyboardInterrupt
