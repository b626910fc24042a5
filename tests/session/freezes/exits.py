# expect: raised
# state: kept
# status: 3
import os
os._exit(3)
