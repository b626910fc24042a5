# profile: agent
# Events that come late, or after each other without end.
import random
import sched
import time


def maybe():
    return random.random() < 0.01


def tick():
    again.enter(1, 1, tick)


def stop():
    raise SystemExit


if maybe():
    late = sched.scheduler(time.time, time.sleep)
    late.enter(100, 1, print, ("late",))
    late.run()  # error: AF501
if maybe():
    again = sched.scheduler(time.monotonic, time.sleep)
    again.enter(0, 1, tick)
    again.run()  # error: AF501
soon = sched.scheduler(time.time, time.sleep)
soon.enter(0.1, 1, print, argument=("soon",))
soon.run()
cancelled = sched.scheduler()
cancelled.cancel(cancelled.enter(100, 1, print))
cancelled.run()
other = sched.scheduler(time.time, lambda seconds: None)
other.enter(100, 1, print)
waiting = sched.scheduler()
waiting.enter(100, 1, print)
waiting.run(blocking=False)
stopped = sched.scheduler()
stopped.enter(0.1, 1, stop)
stopped.enter(100, 1, print)
stopped.run()
