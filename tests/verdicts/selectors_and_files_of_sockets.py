# profile: agent
# Selectors and files of sockets that nobody writes to.
import random
import selectors
import socket


def maybe():
    return random.random() < 0.01


one, other = socket.socketpair()
if maybe():
    selectors.DefaultSelector().select()  # error: AF503
print(selectors.DefaultSelector().select(0))
if maybe():
    watching = selectors.DefaultSelector()
    watching.register(one, selectors.EVENT_READ)
    watching.select()  # error: AF503
writing = selectors.DefaultSelector()
writing.register(one, selectors.EVENT_WRITE)
print(writing.select())
if maybe():
    one.makefile("rb").read()  # error: AF503
if maybe():
    other.makefile().readline()  # error: AF503
other.sendall(b"one\ntwo\n")
lines = one.makefile("r")
print(lines.readline(), lines.readline())
other.close()
print(lines.read())
