# expect: timed_out
# flags: --timeout 1
import multiprocessing, time
p = multiprocessing.get_context('fork').Pool(2)
r = p.apply_async(time.sleep, (600,))
p.close()
p.join()
