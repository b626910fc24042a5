# profile: agent, of a file
# Queues and semaphores of processes that nobody answers.
import multiprocessing
import random


def drop(jobs):
    while jobs.get() is not None:
        pass


def maybe():
    return random.random() < 0.01


if __name__ == "__main__":
    jobs = multiprocessing.JoinableQueue()
    jobs.join()
    if maybe():
        alone = multiprocessing.JoinableQueue()
        alone.put(1)
        alone.join()  # error: AF503
    if maybe():
        worker = multiprocessing.Process(target=drop, args=(jobs,))
        worker.start()
        jobs.put(None)
        jobs.join()  # error: AF503
    none = multiprocessing.Semaphore(0)
    print(none.acquire(False), none.acquire(timeout=0.1))
    if maybe():
        multiprocessing.Semaphore(0).acquire()  # error: AF503
    free = multiprocessing.Semaphore(2)
    with free:
        free.acquire()
        free.release()
