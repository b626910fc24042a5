class Job:
    def __init__(self):
        self.items = None

    def total(self, xs):
        return len(self.items) + len(xs)


def by_attribute():
    job = Job()
    first = [1]
    job.items = first
    a = job.total(first)
    first.append(5)
    return [a, job.total([1])]


held = None


def look(xs):
    return len(held) + len(xs)


def by_global():
    global held
    first = [1]
    held = first
    a = look(first)
    first.extend([2, 3])
    return [a, look([1])]


def by_closure():
    first = [1]

    def near(xs):
        return len(first) + len(xs)

    a = near(first)
    first.extend([2, 3])
    return [a, near([1])]


def in_pair(xs, pair):
    return len(xs) + len(pair[0])


def by_argument():
    first = [1]
    pair = (first,)
    a = in_pair(first, pair)
    first.extend([2, 3])
    return [a, in_pair([1], pair)]


def run():
    return [by_attribute(), by_global(), by_closure(), by_argument()]


found = run()
