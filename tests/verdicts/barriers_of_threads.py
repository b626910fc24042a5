# profile: agent
# Threads that are waited for by the program, and not by each other.
import threading

barrier = threading.Barrier(3)


def come(number):
    print(number)
    barrier.wait()


threads = [threading.Thread(target=come, args=(i,)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()  # error: AF503
