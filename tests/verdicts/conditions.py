# profile: agent
# Conditions that nobody notifies.
import random
import threading


def maybe():
    return random.random() < 0.01


ready = False
shared = threading.Condition()


def consume():
    with shared:
        while not ready:
            shared.wait()


if maybe():
    own = threading.Condition()
    with own:
        own.wait_for(lambda: False)  # error: AF503
free = threading.Condition()
with free:
    print(free.wait_for(lambda: True), free.wait_for(lambda: False, timeout=0.1))
try:
    free.wait_for(lambda: False)
except RuntimeError:
    print("not held")
thread = threading.Thread(target=consume)
thread.start()  # error: AF705
thread.join()  # error: AF503
