# expect: out_of_memory timed_out
# state: kept
blocks = []
while True:
    blocks.append(bytearray(16 << 20))
