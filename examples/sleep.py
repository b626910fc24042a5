"""Waits for an hour, which no thread-based timeout can end."""

import time

for minute in range(60):
    time.sleep(60)
print("an hour has passed")
