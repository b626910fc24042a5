# profile: agent
# 3.12 starts no more threads when the program is at its end.
import threading


def tick():
    print("tick")
    threading.Timer(1.0, tick).start()


def beat():
    t = threading.Timer(0.5, beat)
    t.start()


tick()
beat()
