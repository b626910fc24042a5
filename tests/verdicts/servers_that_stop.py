# profile: agent
import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
threading.Timer(0.1, server.shutdown).start()
server.serve_forever()  # warning: AF505
loop = asyncio.new_event_loop()
loop.call_later(0.1, loop.stop)
loop.run_forever()  # warning: AF505
loop.run_until_complete(asyncio.sleep(0.01))
