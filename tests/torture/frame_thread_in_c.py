# expect: timed_out
# flags: --timeout 1
# threads: 2
import threading
t = threading.Thread(target=lambda: 10 ** 10 ** 8)
t.start()
t.join()
