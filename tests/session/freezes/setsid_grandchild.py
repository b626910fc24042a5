# expect: timed_out
# state: kept
# stack: 3
# killed: 1
import subprocess
child = subprocess.Popen(["sh", "-c", "trap '' TERM; setsid sleep 1000 & sleep 1000"], start_new_session=True)
child.wait()
