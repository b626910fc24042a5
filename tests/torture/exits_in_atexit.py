# expect: raised
# status: 5
import atexit, os
atexit.register(os._exit, 5)
