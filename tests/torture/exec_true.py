# expect: finished
# status: 0
import os
os.execvp('true', ['true'])
