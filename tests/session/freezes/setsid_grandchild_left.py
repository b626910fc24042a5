# expect: finished
# state: advanced
import subprocess
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
