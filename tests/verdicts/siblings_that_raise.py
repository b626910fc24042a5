# profile: agent
import asyncio


async def boom():
    1 / 0


async def main():
    await asyncio.gather(asyncio.sleep(100), boom())


try:
    asyncio.run(main())
except ZeroDivisionError:
    pass
