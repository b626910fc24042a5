# profile: agent
import threading


class Box:
    def __init__(self):
        self.lock = threading.Lock()

    def get(self):
        with self.lock:  # error: AF503
            return 1

    def take(self):
        with self.lock:
            return self.get()


box = Box()
print(box.get())
print(box.take())
