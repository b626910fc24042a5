# expect: timed_out
# flags: --timeout 1
# stack: 4
import os, sys
open('hangs.py', 'w').write('while True: pass\n')
sys.path.insert(0, os.getcwd())
import hangs
