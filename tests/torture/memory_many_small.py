# expect: out_of_memory
# flags: --memory 120MiB
# observed: 125829120..200000000
x = []
while True: x.append([x])
