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
attempt('sysrq', lambda: open('/proc/sysrq-trigger', 'w').write('h'))
attempt('sysctl', lambda: open('/proc/sys/kernel/hostname', 'w').write('x'))
attempt('pid_max', lambda: open('/proc/sys/kernel/pid_max', 'w').write('4194304'))
attempt('core', lambda: open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/sh'))
attempt('init', lambda: open('/proc/1/root/etc/antifreeze-escape', 'w'))
attempt('oom', lambda: open('/proc/self/oom_score_adj', 'w').write('-1000'))
attempt('maps', lambda: open('/proc/self/uid_map', 'w').write('0 0 1'))
attempt('exe', lambda: open('/proc/self/exe', 'r+b'))
