# expect: finished
# stdout: "é\n"
import os, time
os.write(1, b'\xc3')
time.sleep(0.1)
os.write(1, b'\xa9\n')
