# expect: raised
# state: advanced
# status: 4
import sys
sys.exit(4)
