# expect: too_many_processes
# flags: --processes 20
import subprocess
l = []
while True:
    try: l.append(subprocess.Popen(['sleep', '600']))
    except OSError: pass
