# expect: out_of_memory
# needs: numpy
# flags: --timeout 60
import numpy as np
a = np.ones((20000, 20000))
