# expect: finished
# stdout: "['0', '1', '2', '3']\n"
import subprocess
print(subprocess.run(['ls', '/proc/self/fd'], capture_output=True, close_fds=False, text=True).stdout.split())
