# expect: raised
# error: BrokenPipeError
import os
r, w = os.pipe()
os.close(r)
os.write(w, b'x')
