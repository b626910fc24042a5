# profile: agent
import os
import random
import select

if random.random() < 0.5:
    r, w = os.pipe()
    print(os.read(r, 1024))  # error: AF503
elif random.random() < 0.5:
    r, w = os.pipe()
    print(select.select([r], [], []))  # error: AF503
elif random.random() < 0.5:
    r, w = os.pipe()
    os.write(w, b"hello")
    with os.fdopen(r) as stream:
        print(stream.read())  # error: AF503
elif random.random() < 0.5:
    r, w = os.pipe()
    os.write(w, b"x" * 100_000)  # error: AF503
elif random.random() < 0.5:
    r, w = os.pipe()
    os.write(w, b"hello")
    print(os.read(r, 5))
    print(os.read(r, 5))  # error: AF503

r, w = os.pipe()
os.write(w, b"hello")
print(os.read(r, 3), os.read(r, 3))
print(select.select([r], [], [], 0.1))
os.close(w)
print(os.read(r, 3))
r, w = os.pipe()
os.close(w)
with os.fdopen(r) as stream:
    print(stream.read())
r, w = os.pipe()
out = os.fdopen(w, "w")
out.write("hello")
out.close()
print(os.read(r, 10))
