# profile: agent
import random
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait


one = ThreadPoolExecutor(max_workers=1)
two = ThreadPoolExecutor(max_workers=2)


def asks_itself():
    return one.submit(pow, 5, 2).result()


def asks_another():
    return two.submit(pow, 5, 2).result()


def polls(seconds):
    while True:
        time.sleep(seconds)


if random.random() < 0.5:
    print(one.submit(asks_itself).result())  # error: AF503
elif random.random() < 0.5:
    print(Future().result())  # error: AF503
elif random.random() < 0.5:
    futures = [two.submit(polls, 1), two.submit(pow, 2, 2)]  # error: AF705
    wait(futures)  # error: AF503
elif random.random() < 0.5:
    list(two.map(polls, [1, 2]))  # error: AF705

print(two.submit(asks_another).result())
print(one.submit(pow, 5, 2).result())
done = Future()
done.set_result(1)
print(done.result())
# Whether the pool takes something more when the program is at its end is a matter of time.
one.submit(asks_itself)
