# profile: agent
import multiprocessing
import random

if __name__ == "__main__":
    if random.random() < 0.5:
        lock = multiprocessing.Lock()
        lock.acquire()
        lock.acquire()  # error: AF503
    elif random.random() < 0.5:
        multiprocessing.Event().wait()  # error: AF503
    elif random.random() < 0.5:
        print(multiprocessing.Queue().get())  # error: AF503
    elif random.random() < 0.5:
        parent, child = multiprocessing.Pipe()
        print(parent.recv())  # error: AF503
    one, other = multiprocessing.Pipe()
    one.send(1)
    print(other.recv())
    free = multiprocessing.Lock()
    with free:
        print(free.acquire(timeout=0.1), free.acquire(block=False))
    queue = multiprocessing.Queue()
    queue.put(1)
    print(queue.get())
