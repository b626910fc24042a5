# expect: finished
# flags: --output 1000 --strict-output
import os
os.write(1, b'x' * 600)
os.write(2, b'x' * 400)
