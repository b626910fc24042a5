# profile: library
# A coroutine that nobody awaits here can be cancelled at each `await`.
import asyncio


async def ticker():
    while True:  # warning: AF502
        await asyncio.sleep(1)


async def watcher(ready):
    count = 0
    while not ready.is_set():
        await asyncio.sleep(0.1)
        count += 1


async def stream():
    n = 0
    while True:
        yield n
        n += 1


def plain():
    while True:  # error: AF401
        pass


def numbers():
    n = 0
    while True:
        yield n
        n += 1


def silent():
    n = 0
    while n < 2:  # error: AF401
        n *= 2
    yield n
