# profile: agent
# How often a loop waits is for the clock, or the world outside, to say.
import os
import random
import time
import urllib.request

start = time.time()
while time.time() - start < 10:
    time.sleep(5)  # warning: AF501
end = time.monotonic() + 10
while True:
    if time.monotonic() > end:
        break
    time.sleep(6)  # warning: AF501
for attempt in range(20):
    if os.path.exists("/tmp"):
        break
    time.sleep(10)  # warning: AF501
while random.random() < 0.9:
    time.sleep(8)  # warning: AF501
for attempt in range(5):
    try:
        urllib.request.urlopen("file:///etc/hostname")
        break
    except OSError:
        time.sleep(12)  # warning: AF501
if os.path.exists("/nowhere"):
    time.sleep(40)  # error: AF501
