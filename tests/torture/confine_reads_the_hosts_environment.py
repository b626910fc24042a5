# expect: finished
# modes: ns
# flags: --confine --timeout 30
# stdout: ""
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
import os
secret = 'ANTIFREEZE_TEST_' + 'SECRET'
if secret in os.environ: print('got away: environ')
for name in os.listdir('/proc'):
    if name.isdigit():
        for file in ('environ', 'maps', 'mem'):
            try:
                with open('/proc/%s/%s' % (name, file), 'rb') as f:
                    if file == 'environ' and secret.encode() in f.read(1 << 20) or file != 'environ' and int(name) != os.getpid():
                        print('got away:', name, file)
            except OSError:
                pass
attempt('host', lambda: open('/proc/%s/environ' % os.environ['HOST_PID']))
