# expect: timed_out
# flags: --timeout 1
# stack: 2
# child: sleep 600
import subprocess
subprocess.run(['sleep', '600'])
