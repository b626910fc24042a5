# profile: agent
import subprocess as sp
import sys


def wait_for(words):
    return sp.call(words)  # error: AF506


if sys.argv[1:]:
    sp.check_call(["/bin/sleep", "2h"])  # error: AF506
if len(sys.argv) > 3:
    with sp.Popen(["sleep", "3600"]) as child:  # error: AF506
        pass
wait_for(["sleep", "infinity"])
