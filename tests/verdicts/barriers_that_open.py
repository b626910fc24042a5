# profile: agent
# As many come as it takes, or one gives up for all.
import threading

pair = threading.Barrier(2)
broken = threading.Barrier(3)


def come():
    pair.wait()
    pair.wait()


def give_up():
    try:
        broken.wait(timeout=0.1)
    except threading.BrokenBarrierError:
        print("broken")


first = threading.Thread(target=come)
first.start()
pair.wait()
pair.wait()
first.join()
second = threading.Thread(target=give_up)
second.start()
try:
    broken.wait()
except threading.BrokenBarrierError:
    print("broken")
second.join()
