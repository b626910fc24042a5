# expect: finished
# stdout: "child\nparent 4\n"
import os, sys
if os.fork() == 0:
    print('child')
    sys.exit(4)
print('parent', os.WEXITSTATUS(os.wait()[1]))
