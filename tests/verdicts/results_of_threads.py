# profile: agent
# Threads that keep their results in a list of the program's, and then wait.
import threading

results = []
over = threading.Event()


def work(n):
    results.append(n)
    over.wait()


threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()  # error: AF503
over.set()
