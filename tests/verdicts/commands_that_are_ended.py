# profile: agent
# A process that never ends by itself, and that somebody ends.
import subprocess
import threading

stream = subprocess.Popen(["tail", "-f", "/dev/null"], stdout=subprocess.PIPE, text=True)
threading.Timer(0.2, stream.kill).start()
for line in stream.stdout:
    print(line)
while stream.poll() is None:
    pass
stream.wait()
