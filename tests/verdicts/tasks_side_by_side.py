# profile: agent
# Tasks that run beside each other take as long as the longest of them.
import asyncio
import random


async def work(seconds):
    await asyncio.sleep(seconds)
    return seconds


async def beside():
    return await asyncio.gather(work(20), work(20), asyncio.sleep(20))


async def after_each_other():
    await work(20)
    await work(20)  # a comment


async def long_one():
    await asyncio.gather(asyncio.sleep(1), asyncio.sleep(40))  # error: AF501


async def tasks():
    first = asyncio.create_task(work(20))
    second = asyncio.create_task(work(20))
    await first
    await second


if random.random() < 0.1:
    asyncio.run(beside())
elif random.random() < 0.1:
    asyncio.run(long_one())
else:
    asyncio.run(tasks())


async def waits(seconds):
    await asyncio.sleep(seconds)  # error: AF501


async def waits_or_raises(seconds):
    if seconds > 30:
        raise ValueError(seconds)
    await asyncio.sleep(seconds)


async def all_of_them():
    await asyncio.gather(*(waits(n * 20) for n in range(1, 4)))


async def one_raises():
    await asyncio.gather(waits_or_raises(25), waits_or_raises(40))


if random.random() < 0.1:
    asyncio.run(all_of_them())
elif random.random() < 0.1:
    asyncio.run(one_raises())
