# profile: agent
import asyncio
import random


async def waits():
    gate = asyncio.Event()
    await gate.wait()  # error: AF503


async def takes():
    queue = asyncio.Queue()
    for i in range(3):
        await queue.put(i)
    for i in range(4):
        print(await queue.get())  # error: AF503


async def takes_what_is_there():
    queue = asyncio.Queue()
    for i in range(3):
        await queue.put(i)
    for i in range(3):
        print(await queue.get())


async def in_time():
    gate = asyncio.Event()
    try:
        await asyncio.wait_for(gate.wait(), 0.1)
    except asyncio.TimeoutError:
        print("late")


async def set_later():
    gate = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, gate.set)
    await gate.wait()


async def produce(queue):
    for i in range(3):
        await queue.put(i)


async def consume(queue):
    for i in range(3):
        print(await queue.get())


async def together():
    queue = asyncio.Queue()
    await asyncio.gather(produce(queue), consume(queue))


async def spin():
    while True:  # error: AF401
        pass


async def spins_in_time():
    await asyncio.wait_for(spin(), 1)


if random.random() < 0.1:
    asyncio.run(waits())
elif random.random() < 0.1:
    asyncio.run(takes())
elif random.random() < 0.1:
    asyncio.run(spins_in_time())
asyncio.run(takes_what_is_there())
asyncio.run(in_time())
asyncio.run(set_later())
asyncio.run(together())
