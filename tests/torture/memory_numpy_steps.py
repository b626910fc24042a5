# expect: out_of_memory
# needs: numpy
# flags: --timeout 60 --memory 300MiB
import numpy as np
l = []
while True: l.append(np.ones(10 ** 6))
