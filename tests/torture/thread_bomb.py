# expect: too_many_processes
# flags: --processes 30
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(600,)).start()
    except RuntimeError: pass
