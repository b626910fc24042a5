# expect: timed_out
# flags: --timeout 1
import concurrent.futures as c, time
c.ThreadPoolExecutor().submit(time.sleep, 600)
