# expect: raised
# error: SystemExit
# status: 3
import sys
sys.exit(3)
