# expect: finished
# stdout: "caught\n"
try:
    x = bytearray(3 << 30)
except MemoryError:
    print('caught')
