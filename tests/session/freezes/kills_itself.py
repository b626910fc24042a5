# expect: crashed
# state: kept
# status: 137
import os
os.kill(os.getpid(), 9)
