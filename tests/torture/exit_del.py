# expect: timed_out
# flags: --timeout 1
class D:
    def __del__(self):
        while True: pass
d = D()
