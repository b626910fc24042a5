# profile: agent
# The end of a pipe may be handed to others.
import os
import subprocess

r, w = os.pipe()
subprocess.call(["echo", "hi"], stdout=w)
print(os.read(r, 10))
os.closerange(w, w + 1)
print(os.read(r, 10))
