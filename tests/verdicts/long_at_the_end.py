# profile: agent
import threading
import time
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)
threading.Timer(3600, print, args=("late",)).start()  # error: AF705
threading.Thread(target=time.sleep, args=(100,)).start()  # error: AF705
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
threading.Thread(target=time.sleep, args=(1,)).start()
print(pool.submit(time.sleep, 1).result())
print(pool.submit(time.sleep, 100).result())  # error: AF501 AF705
