# profile: agent
import asyncio


async def fetch(n):
    await asyncio.sleep(n)  # error: AF501
    return n


async def soon(n):
    await asyncio.sleep(n / 100)
    return n


async def main():
    print(await asyncio.gather(*(soon(i) for i in range(5))))
    print(await asyncio.gather(*(fetch(i * 20) for i in range(5))))


asyncio.run(main())
