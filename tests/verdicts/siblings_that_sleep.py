# profile: agent
import asyncio


async def both():
    await asyncio.gather(asyncio.sleep(100), asyncio.sleep(200))  # error: AF501


asyncio.run(both())
