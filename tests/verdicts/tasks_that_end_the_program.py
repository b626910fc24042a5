# profile: agent
# A task that ends the program ends what all others wait for.
import asyncio
import os


async def leave():
    await asyncio.sleep(0.05)
    os._exit(0)


async def forever():
    while True:  # warning: AF502
        await asyncio.sleep(1)


async def polls():
    task = asyncio.create_task(leave())
    await forever()


async def waits():
    task = asyncio.create_task(leave())
    await asyncio.Event().wait()


async def beside():
    await asyncio.gather(leave(), forever())


async def grouped():
    async with asyncio.TaskGroup() as group:
        group.create_task(leave())
        await asyncio.Lock().acquire()
        await forever()


if os.environ.get("A"):
    asyncio.run(polls())
elif os.environ.get("B"):
    asyncio.run(waits())
elif os.environ.get("C"):
    asyncio.run(beside())
elif os.environ.get("D"):
    asyncio.run(grouped())
