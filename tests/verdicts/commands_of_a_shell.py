# profile: agent
# Lines for a shell, and what processes write.
import os
import random
import shlex
import subprocess
from subprocess import PIPE, Popen


if random.random() < 0.5:
    os.system("while true; do sleep 1; done")  # error: AF506
elif random.random() < 0.5:
    os.system("echo begin && sleep 5m > /dev/null; echo end")  # error: AF506
elif random.random() < 0.5:
    subprocess.run("cat /dev/zero | tr a b | wc -c", shell=True)  # error: AF506
elif random.random() < 0.5:
    subprocess.run(["bash", "-c", "while :; do :; done"])  # error: AF506
elif random.random() < 0.5:
    subprocess.check_output(shlex.split("tail -f '/dev/null'"))  # error: AF506
elif random.random() < 0.5:
    subprocess.run(["python3", "-c", "while True: pass"])  # error: AF506
elif random.random() < 0.5:
    print(os.popen("sleep 1000").read())  # error: AF506
elif random.random() < 0.5:
    for line in os.popen("yes"):  # error: AF401
        pass
elif random.random() < 0.5:
    child = Popen(["python3", "-c", "print('x' * 10**6)"], stdout=PIPE)
    child.wait()  # error: AF506
    print(child.stdout.read())
elif random.random() < 0.5:
    copy = Popen("cat", shell=True, stdin=PIPE, stdout=PIPE, text=True)
    copy.stdin.write("hello")
    print(copy.stdout.read())  # error: AF506
elif random.random() < 0.5:
    endless = Popen(["yes"], stdout=PIPE)
    while True:  # error: AF401
        if not endless.stdout.readline():
            break
elif random.random() < 0.5:
    long = Popen(["sleep", "3600"])
    try:
        long.wait(timeout=0.1)
    except subprocess.TimeoutExpired:
        long.wait()  # error: AF506
elif random.random() < 0.5:
    os.system("cat")  # error: AF504
elif random.random() < 0.5:
    late = Popen(["tail", "-f", "/dev/null"])
    late.wait()  # error: AF506
    late.kill()

# What ends, is ended, may not run, or of which nothing is known.
os.system("while true; do sleep 1; break; done")
os.system("if false; then\n sleep 100\n fi")
os.system("for i in 1 2; do echo $i; done")
os.system("false && sleep 100")
os.system("exit; sleep 100")
os.system("yes | head -n 5")
os.system("while true; do echo y; done | head -n 5")
os.system("tail -f /dev/null | true")
os.system("timeout 1 sleep 100")
os.system("sleep 100 &")
os.system("echo 'sleep 100'")
os.system("echo hi # ; sleep 100")
os.system("$SLEEP 100; (exit 1)")
os.system("true || sleep 100")
os.system("cat < /dev/null")
subprocess.run(["python3", "-c", "print(1)"])
few = Popen(["python3", "-c", "print('x' * 10)"], stdout=PIPE)
few.wait()
many = Popen(["python3", "-c", "print('x' * 10**6)"], stdout=PIPE)
print(many.communicate()[0])
many.wait()
echo = Popen(["cat"], stdin=PIPE, stdout=PIPE, text=True)
echo.stdin.write("hello")
echo.stdin.close()
print(echo.stdout.read())
line = Popen(["cat"], stdin=PIPE, stdout=PIPE, text=True, bufsize=1)
line.stdin.write("hello\n")
print(line.stdout.readline())
print(line.communicate())
told = Popen(["bash"], stdin=PIPE, stdout=PIPE, text=True)
told.stdin.write("exit\n")
told.stdin.flush()
print(told.stdout.read())
for line in os.popen("yes"):
    break
