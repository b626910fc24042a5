# expect: finished
# stdout: "0\n"
import os, atexit
f = os.open('mine', os.O_CREAT | os.O_RDWR)
for fd in range(900, 1100):
    os.dup2(f, fd)
print(os.path.getsize('mine'))
