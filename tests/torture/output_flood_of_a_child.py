# expect: too_much_output
# flags: --output 64KiB
import subprocess
subprocess.run(['yes'])
