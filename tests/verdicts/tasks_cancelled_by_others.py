# profile: agent
# Tasks that another one gets hold of end early.
import asyncio


async def ends_all():
    await asyncio.sleep(0.1)
    for task in asyncio.all_tasks():
        if task is not asyncio.current_task():
            task.cancel()


async def waits(seconds):
    await asyncio.sleep(seconds)


async def side_by_side():
    ending = asyncio.create_task(ends_all())
    await asyncio.gather(waits(100), waits(200))
    return ending


async def alone():
    ending = asyncio.create_task(ends_all())
    await asyncio.sleep(100)
    return ending


for main in (side_by_side, alone):
    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        pass
