# profile: agent
# A thread that takes a lock it holds.
import threading

lock = threading.Lock()
again = threading.RLock()


def say(text):
    with lock:
        print(text)


def work():
    with lock:
        say("inside")


def in_turn():
    with lock:
        print("one")
    say("two")
    with again, again:
        print("three")


first = threading.Thread(target=in_turn)
first.start()
first.join()
second = threading.Thread(target=work)
second.start()  # error: AF705
second.join()  # error: AF503
