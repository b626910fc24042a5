# expect: too_much_output
# flags: --output 1000 --strict-output
# observed: 2000..2000
import os
os.write(1, b'x' * 2000)
os._exit(0)
