# Attributes of instances that another thread holds: some cannot change any more.
import copy
import queue
import threading


class Fixed:
    def __init__(self, step):
        self.step = step
        self.on = True
        self.seen = queue.Queue()
        self.total = 0
        for part in (1, 2, 3):
            self.part = part

    def work(self):
        if self.on:
            self.total += self.step
        self.seen.put(self.total)
        self.seen.get()
        self.seen.task_done()


class Child(Fixed):
    def __init__(self, step):
        super().__init__(step)
        self.name = "child"
        self.on = True


class Shared:
    level = 1

    def __init__(self):
        self.level = 2
        threading.Thread(target=self.note).start()
        self.later = 3

    def note(self):
        return self.level


def run(of):
    thread = threading.Thread(target=of.work)
    thread.start()
    thread.join()
    return of.total


one, two, child = Fixed(2), Fixed(5), Child(7)
totals = [run(one), run(two), run(child), run(one)]
steps = [one.step, two.step, child.step]
on, part, name = one.on, two.part, child.name
shared = Shared()
level, later = shared.level, shared.later
del shared.level
level_after = shared.level
other = copy.copy(two)
other_step = other.step
made = [Fixed(n) for n in (1, 2, 3)]
for each in made:
    run(each)
made_steps = [each.step for each in made]
flag = threading.Event()
setter = threading.Timer(0.01, flag.set)
setter.start()
was_set = flag.wait()
jobs = queue.Queue(maxsize=2)
taker = threading.Thread(target=lambda: [jobs.get() for _ in range(4)])
taker.start()
for n in range(4):
    jobs.put(n)
taker.join()
empty = jobs.empty()
