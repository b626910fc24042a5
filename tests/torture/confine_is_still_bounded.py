# expect: timed_out
# modes: ns
# flags: --confine --timeout 1
# stdout: ""
# stack: 7
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
while True: pass
