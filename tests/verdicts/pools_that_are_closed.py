# profile: agent, of a file
# What is closed takes nothing more, and says so at once.
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool


def spin(n):
    while True:  # warning: AF502
        time.sleep(0.1)


with ThreadPoolExecutor(1) as executor:
    print(executor.submit(abs, -1).result())
try:
    executor.submit(spin, 1)
except RuntimeError:
    print("closed")
shut = ThreadPoolExecutor(1)
shut.shutdown()
try:
    shut.submit(spin, 1)
except RuntimeError:
    print("closed")
with ThreadPool(1) as pool:
    print(pool.map(abs, [-1]))
try:
    pool.map(spin, [1])
except ValueError:
    print("closed")
