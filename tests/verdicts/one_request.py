# profile: agent
import random
import socket
from http.server import HTTPServer, SimpleHTTPRequestHandler

if random.random() < 0.5:
    server = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    server.handle_request()  # error: AF503
elif random.random() < 0.5:
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    print(datagrams.recvfrom(1024))  # error: AF503
elif random.random() < 0.5:
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.accept())  # error: AF503
in_time = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
in_time.bind(("127.0.0.1", 0))
in_time.settimeout(0.1)
try:
    print(in_time.recvfrom(1024))
except OSError:
    print("nothing")
