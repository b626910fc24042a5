# expect: crashed
# status: 143
import os
os.kill(os.getpid(), 15)
