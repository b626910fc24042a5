# expect: timed_out
# flags: --timeout 1
# reason: has become another
import os
os.execvp('sleep', ['sleep', '600'])
