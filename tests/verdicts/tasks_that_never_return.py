# profile: agent
import asyncio
import random


async def ticks():
    while True:
        await asyncio.sleep(1)


async def once():
    await asyncio.sleep(0.01)
    return 1


async def fails():
    await asyncio.sleep(0.01)
    raise ValueError


async def gathers():
    print(await asyncio.gather(ticks(), once()))  # error: AF503


async def groups():
    async with asyncio.TaskGroup() as group:  # error: AF503
        group.create_task(ticks())
        group.create_task(once())


async def forwards(taken, given):
    while True:
        await given.put(await taken.get())


async def pass_on():
    a, b = asyncio.Queue(), asyncio.Queue()
    await asyncio.gather(forwards(a, b), forwards(b, a))  # error: AF503


async def takes(queue):
    while True:
        print(await queue.get())


async def joins():
    queue = asyncio.Queue()
    task = asyncio.create_task(takes(queue))
    await queue.put(1)
    await queue.join()  # error: AF503
    print(task)


async def awaits_nothing():
    await asyncio.get_running_loop().create_future()  # error: AF503


async def fills():
    queue = asyncio.Queue(maxsize=2)
    for i in range(3):
        await queue.put(i)  # error: AF503


async def locks():
    lock = asyncio.Lock()
    async with lock:
        async with lock:  # error: AF503
            pass


async def uses_up():
    free = asyncio.Semaphore(2)
    for i in range(3):
        await free.acquire()  # error: AF503


async def runs():
    process = await asyncio.create_subprocess_exec("sleep", "600")
    await process.wait()  # error: AF506


async def waits_for_some():
    tasks = [asyncio.create_task(ticks()), asyncio.create_task(fails())]
    await asyncio.wait(tasks)  # error: AF503


# They end, or one that fails ends them.
async def harmless():
    queue, lock, free = asyncio.Queue(maxsize=2), asyncio.Lock(), asyncio.Semaphore(2)
    for i in range(2):
        await queue.put(i)
        async with lock:
            async with free:
                print(await queue.get())
    try:
        await asyncio.gather(ticks(), fails())
    except ValueError:
        print("failed")
    try:
        await asyncio.wait_for(asyncio.gather(ticks(), takes(queue)), 0.05)
    except asyncio.TimeoutError:
        print("late")
    await asyncio.wait([asyncio.create_task(takes(asyncio.Queue()))], timeout=0.05)
    await asyncio.gather(once(), once())
    asyncio.create_task(takes(queue))
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, future.set_result, 1)
    print(await future)


async def choose():
    if random.random() < 0.5:
        await gathers()
    elif random.random() < 0.5:
        await groups()
    elif random.random() < 0.5:
        await pass_on()
    elif random.random() < 0.5:
        await joins()
    elif random.random() < 0.5:
        await awaits_nothing()
    elif random.random() < 0.5:
        await fills()
    elif random.random() < 0.5:
        await locks()
    elif random.random() < 0.5:
        await uses_up()
    elif random.random() < 0.5:
        await runs()
    elif random.random() < 0.5:
        await waits_for_some()


asyncio.run(choose())
asyncio.run(harmless())
