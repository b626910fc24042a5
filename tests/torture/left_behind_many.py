# expect: too_many_processes
# flags: --processes 20 --timeout 30
import subprocess, os
l = [subprocess.Popen(['sleep', '600']) for i in range(25)]
os._exit(0)
