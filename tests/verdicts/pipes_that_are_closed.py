# profile: agent
# Who writes to a pipe that nobody reads any more is ended by it.
import subprocess

process = subprocess.Popen("yes", stdout=subprocess.PIPE)
print(process.stdout.read(10))
process.stdout.close()
process.wait()

other = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
with other.stdout as lines:
    print(lines.readline())
other.wait()

last = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
last.stdout.read()  # error: AF506
