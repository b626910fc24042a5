# expect: crashed
# state: kept
# status: 137
import os
os.killpg(0, 9)
