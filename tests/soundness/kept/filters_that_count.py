import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
log = []
def g(v):
    log.append(v)
    return v
it = filter(lambda v: v != k, map(g, [0, 1, 2, 3]))
x = next(it, None)
n = len(log)
import os, itertools
k_1 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c_1 = 1
def g_1():
    for i in range(5):
        yield c_1
it_1 = filter(lambda v: v != k_1, g_1())
x_1 = next(it_1, None)
c_1 = 'new'
y_1 = next(it_1, None)
z_1 = list(it_1)
import os, itertools
k_2 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c_2 = 1
it_2 = filter(lambda v: v != k_2, (c_2 for _ in range(4)))
x_2 = next(it_2, None)
c_2 = 'new'
y_2 = next(it_2, None)
z_2 = list(it_2)
import os, itertools
k_3 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c_3 = 0
def count_3(v):
    global c_3
    c_3 += 1
    return v != k_3
it_3 = filter(count_3, [0, 1, 2, 3, 4])
x_3 = next(it_3, None)
c1_3 = c_3
y_3 = next(it_3, None)
c2_3 = c_3
z_3 = list(it_3)
c3_3 = c_3
import os, itertools
k_4 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c_4 = 0
def count_4(v):
    global c_4
    c_4 += 1
    return v != k_4
it_4 = itertools.takewhile(count_4, map(count_4, [0, 1, 2, 3, 4]))
x_4 = next(it_4, 'none')
c1_4 = c_4
y_4 = next(it_4, 'none')
c2_4 = c_4
z_4 = list(it_4)
c3_4 = c_4
it_4 = itertools.dropwhile(count_4, map(count_4, [0, 1, 2, 3, 4]))
x1_4 = next(it_4, 'none')
c1_4 = c_4
y1_4 = next(it_4, 'none')
c4_4 = c_4
it_4 = itertools.chain(map(count_4, range(k_4)), map(count_4, range(3)))
x5_4 = next(it_4, 'none')
c5_4 = c_4
it_4 = itertools.compress(map(count_4, range(5)), [k_4, 1, k_4, 1, 1])
x6_4 = next(it_4, 'none')
c6_4 = c_4
it_4 = itertools.filterfalse(count_4, map(count_4, range(5)))
x7_4 = next(it_4, 'none')
c7_4 = c_4
import os, itertools
k_5 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c_5 = 0
def count_5(v):
    global c_5
    c_5 += 1
    return v != k_5
for x_5 in filter(count_5, [0, 1, 2, 3, 4]):
    pass
c1_5 = c_5
y_5 = list(filter(count_5, range(50)))
c2_5 = c_5
z_5 = [v for v in filter(count_5, (0, 0, 5)) if v]
c3_5 = c_5
w_5 = sum(filter(count_5, range(1000)))
c4_5 = c_5
t_5 = tuple(itertools.takewhile(count_5, range(1000)))
c5_5 = c_5
t_5 = max(itertools.dropwhile(count_5, range(1000)), default=0)
c6_5 = c_5
a_5, *b_5 = filter(count_5, (0, 4, 3, 2, 0, 1)) if k_5 else (1, 2)
c7_5 = c_5
import os, itertools
k_6 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
seen_6 = []
def note_6(v):
    if v > 3:
        seen_6.append(v)
    return v % 2 == k_6
x_6 = next(filter(note_6, [0, 1, 2, 3, 4, 5, 6, 7]), None)
n_6 = len(seen_6)
y_6 = next(filter(note_6, [1, 3, 5, 7, 9, 9]), None)
n2_6 = len(seen_6)
class A_6:
    n = 0
    def __call__(self, v):
        self.n += 1
        return v == k_6
a_6 = A_6()
z_6 = next(filter(a_6, [3, 2, 1, 0]), 'none')
m_6 = a_6.n
z_6 = next(itertools.filterfalse(a_6, (5, 2, 1, 0)), 'none')
m2_6 = a_6.n
def outer_6():
    hits = 0
    def f(v):
        nonlocal hits
        hits += 1
        return v > k_6 + 2
    r = next(filter(f, [0, 1, 2, 3, 4]), None)
    return hits, r
o_6 = outer_6()
