# profile: agent
import os
import socket


def first():
    a, b = socket.socketpair()
    return a


def answered(a):
    return a.recv(1)


left, right = socket.socketpair()
os.write(right.fileno(), b"x")
print(left.recv(1))
print(first().recv(1))
one, two = socket.socketpair()
del two
print(one.recv(1))
x, y = socket.socketpair()
y.close()
print(answered(x))
