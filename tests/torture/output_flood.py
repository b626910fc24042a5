# expect: too_much_output
# flags: --output 64KiB
# observed: 4194305..5000000
while True: print('x' * 1000)
