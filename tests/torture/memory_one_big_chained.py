# expect: out_of_memory
# error: MemoryError
try:
    x = bytearray(3 << 30)
except MemoryError as e:
    raise MemoryError('no room') from e
