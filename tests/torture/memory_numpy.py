# expect: finished
# needs: numpy
# flags: --timeout 60
# stdout: "200.0\n"
import numpy as np
a = np.ones((200, 200))
print((a @ a)[0, 0])
