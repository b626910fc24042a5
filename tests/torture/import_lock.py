# expect: timed_out
# flags: --timeout 1
# stack: 4
import os, sys, threading
open('locks.py', 'w').write('import threading\nt = threading.Thread(target=lambda: __import__("locks").x)\nt.start()\nt.join()\nwhile True: pass\n')
sys.path.insert(0, os.getcwd())
import locks
