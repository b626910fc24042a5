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

with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as third:
    print(third.stdout.readline())

with subprocess.Popen(["sleep", "1"]) as fourth:
    pass

last = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
last.stdout.read()  # error: AF506
