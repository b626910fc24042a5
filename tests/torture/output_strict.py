# expect: too_much_output
# flags: --output 1000 --strict-output --timeout 30
import time
print('x' * 2000)
time.sleep(60)
