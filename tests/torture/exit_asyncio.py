# expect: timed_out
# flags: --timeout 1
import asyncio
async def stubborn():
    while True:
        try: await asyncio.sleep(60)
        except asyncio.CancelledError: pass
async def main():
    asyncio.create_task(stubborn())
    await asyncio.sleep(0.05)
asyncio.run(main())
