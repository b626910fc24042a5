# profile: agent
# What depends on known arguments alone is one value: that nobody knows which does not make both ways possible.
import keyword
import os
import shlex
import sys
import textwrap
import time
import urllib.parse


def follow(path):
    if os.path.splitext(path)[1] != ".log":
        raise ValueError("not a log file")
    while True:  # warning: AF502
        time.sleep(1)


def wait(path):
    if os.path.basename(path) == "server.py":
        while True:  # warning: AF502
            time.sleep(1)


try:
    follow("notes.txt")
except ValueError as error:
    print(error)
wait("/srv/app/worker.py")
if sys.version_info[0] < 3:
    time.sleep(86400)  # warning: AF501
if keyword.iskeyword("print"):
    print(10 ** 10 ** 9)  # warning: AF101
if shlex.split("a b")[0] != "a" or textwrap.dedent(" a") != "a" or urllib.parse.quote("a b") != "a%20b":
    time.sleep(86400)  # warning: AF501
