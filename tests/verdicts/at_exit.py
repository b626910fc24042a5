# profile: agent
import atexit
from concurrent.futures import ThreadPoolExecutor

log = []


@atexit.register  # error: AF705
def flush():
    while True:
        pass


@atexit.register
def drain():
    while log:
        log.pop()


def spin():
    while True:
        pass


def once():
    while True:
        break


pool = ThreadPoolExecutor(max_workers=1)
pool.submit(once)
pool.submit(spin)  # error: AF705
pool.shutdown(wait=False)
