# profile: agent
# What a single task waits for.
import asyncio
import random


async def notice():
    condition = asyncio.Condition()
    async with condition:
        await condition.wait()  # error: AF503


async def predicate():
    condition = asyncio.Condition()
    async with condition:
        await condition.wait_for(lambda: True)
        await condition.wait_for(lambda: False)  # error: AF503


async def free():
    condition = asyncio.Condition()
    try:
        await condition.wait()
    except RuntimeError:
        print("not held")


asyncio.run(free())
if random.random() < 0.01:
    asyncio.run(notice())
else:
    asyncio.run(predicate())
