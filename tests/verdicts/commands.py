# profile: agent
# Commands that end, are ended, or of which nothing is known.
import os
import subprocess
from subprocess import PIPE, Popen, run

run(["sleep", "1"])
run("sleep 3600 &", shell=True)
run("sleep $N", shell=True)
run(["sleep", "3600"], executable="/bin/true")
try:
    run(["sleep", "3600"], timeout=1)
except subprocess.TimeoutExpired:
    pass
run(["true", "sleep", "3600"])
os.system("echo sleep 3600")
os.system("sleep $N || sleep 3600")
child = Popen(["cat"], stdin=PIPE, stdout=PIPE)
print(child.communicate(b"x"))
other = Popen(["cat"], stdin=PIPE, stdout=PIPE)
other.stdin.close()
print(other.stdout.read())
quick = Popen(["sleep", "1"])
quick.wait()


def sleep(words):
    return ["sleep", *words]


print(sleep(["3600"]))
run(["./sleep", "100"], check=False)
run(["sleep", "100"], env={"PATH": "/nowhere"})
run(["sleep", "100"], preexec_fn=lambda: os._exit(0))
run(["sleep", "100"], -1, "/bin/true")
run(["yes", "--version"])
os.popen("yes").readline()
