# profile: agent
import asyncio
import random
from http.server import HTTPServer, SimpleHTTPRequestHandler
from wsgiref.simple_server import make_server


def answer(environ, start_response):
    start_response("200 OK", [])
    return [b"hi"]


async def echo(reader, writer):
    writer.write(await reader.read(100))
    await writer.drain()
    writer.close()


async def serve():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        await server.serve_forever()  # error: AF505


if random.random() < 0.5:
    asyncio.run(serve())
elif random.random() < 0.5:
    with make_server("", 0, answer) as httpd:
        httpd.serve_forever()  # error: AF505
elif random.random() < 0.5:
    late = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    try:
        late.serve_forever()  # error: AF505
    except KeyboardInterrupt:
        pass
    late.server_close()
