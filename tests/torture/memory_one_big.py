# expect: out_of_memory
# status: 1
# error: MemoryError
x = bytearray(3 << 30)
