# profile: agent
import os
import threading

r, w = os.pipe()
threading.Thread(target=os.write, args=(w, b"hello")).start()
print(os.read(r, 5))
