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
for folder in ('/', '/root', '/etc', '/var/tmp', '/usr', '/sys/fs/cgroup', '/run', '/dev', os.path.dirname(__file__)):
    name = folder + '/antifreeze-escape'
    attempt('open ' + name, lambda: open(name, 'w'))
    attempt('mkdir ' + name, lambda: os.mkdir(name))
    attempt('link ' + name, lambda: os.symlink('x', name))
    attempt('fifo ' + name, lambda: os.mkfifo(name))
open('own', 'w').close()
attempt('rename out', lambda: os.rename('own', '/etc/antifreeze-escape'))
attempt('hard link out', lambda: os.link('own', '/etc/antifreeze-escape'))
os.symlink('/etc/antifreeze-escape', 'way')
attempt('through a link', lambda: open('way', 'w'))
attempt('truncate', lambda: os.truncate(__file__, 0))
attempt('append', lambda: open(__file__, 'a'))
attempt('remove', lambda: os.remove(__file__))
