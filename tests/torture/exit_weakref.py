# expect: timed_out
# flags: --timeout 1
import time, weakref
class A: pass
a = A()
weakref.finalize(a, time.sleep, 60)
