# expect: out_of_memory
# flags: --memory 200MiB
# observed: 209715200..500000000
x = []
while True: x.append(b'x' * 10 ** 6)
