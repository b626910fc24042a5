import threading


class Base:
    def hello(self):
        return 1


class Once(Base):
    def __init__(self, v):
        self.x = v

    def hello(self):
        return super().hello()


once = Once(5)
thread = threading.Thread(target=repr, args=(once,))
thread.start()
thread.join()
once.__init__(2)
x = once.x
