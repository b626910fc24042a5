# expect: too_much_output
# flags: --output 64KiB
import os
while True: os.write(2, bytes(range(256)) * 256)
