# expect: timed_out
# flags: --timeout 1
# stack: 2
import queue
queue.Queue().get()
