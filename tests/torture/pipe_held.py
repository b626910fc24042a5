# expect: finished
# killed: 1
# flags: --timeout 30
# within: 15
import subprocess
subprocess.Popen(['sleep', '600'], start_new_session=True)
