# profile: agent, of a file
# What the workers of a pool never finish, and who waits for it.
import random
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool
from multiprocessing.pool import ThreadPool


def spin(n):
    while True:
        n += 1


def nap(seconds):
    time.sleep(seconds)
    return seconds


def fail(n):
    while True:
        n = 10 // n - 1


def maybe():
    return random.random() < 0.01


if __name__ == "__main__":
    if maybe():
        with Pool(2) as pool:
            pool.map(spin, [1, 2])  # error: AF503
    if maybe():
        Pool(2).apply(spin, (1,))  # error: AF503
    if maybe():
        Pool(2).starmap(spin, [(1,)])  # error: AF503
    if maybe():
        Pool(2).apply_async(nap, (100,)).get()  # error: AF501
    if maybe():
        ThreadPool(4).map(nap, [100])  # error: AF501
    if maybe():
        closed = Pool(1)
        closed.apply_async(spin, args=(1,))
        closed.close()
        closed.join()  # error: AF503
    if maybe():
        executor = ProcessPoolExecutor(2)
        executor.submit(spin, 3).result()  # error: AF705 AF503
    if maybe():
        with ProcessPoolExecutor() as executor:
            print(list(executor.map(nap, [100, 200])))  # error: AF705
    with Pool(2) as pool:
        print(pool.map(nap, [0.1, 0.2]), pool.map(fail, []))
        pool.apply_async(spin, (1,))
        local = lambda n: [n for n in iter(int, 1)]  # warning: AF401
        try:
            pool.map(local, [1])
        except Exception:
            print("it cannot be sent")
        try:
            pool.map(fail, [5])
        except ZeroDivisionError:
            print("it failed")
