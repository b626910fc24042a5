# expect: out_of_memory
# state: advanced
block = bytearray(2 << 30)
