# profile: agent
# What a command does to a process is for the command to say.
import os
import subprocess

one = subprocess.Popen(["sleep", "1000"])
os.system("kill %d" % one.pid)
one.wait()

two = subprocess.Popen(["sleep", "1000"])
subprocess.run(["pkill", "sleep"])
two.wait()

order = f"kill {os.getpid()} {two.pid}"
three = subprocess.Popen(["tail", "-f", "/dev/null"])
os.system(order)
three.wait()
