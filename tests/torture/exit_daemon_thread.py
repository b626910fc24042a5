# expect: finished
# flags: --timeout 20
import threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
time.sleep(0.1)
