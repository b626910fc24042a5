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
import os, tempfile
# What the program itself needs of it is there, nothing else.
inside = ['/tmp/' + name for name in os.listdir('/tmp')]
if any(path not in os.getcwd() + __file__ + os.__file__ for path in inside): print('got away:', inside)
with tempfile.NamedTemporaryFile(dir='/tmp', delete=False) as f: f.write(b'x')
open('/tmp/antifreeze-escape', 'w').close()
import multiprocessing
with multiprocessing.get_context('fork').Pool(2) as pool: assert pool.map(abs, [1, -2]) == [1, 2]
lock = multiprocessing.Lock()
open('result', 'w').write('kept')
