# expect: finished
# stdout: "a\u0000b\u001b[31m\n"
print('a\0b\x1b[31m')
