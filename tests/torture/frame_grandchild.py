# expect: timed_out
# flags: --timeout 1
# stack: 2
# child: sleep 601
import subprocess
subprocess.run(['sh', '-c', 'sleep 601; true'])
