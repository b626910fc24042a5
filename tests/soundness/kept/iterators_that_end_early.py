import os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
a = [1] * k
b = iter([1, 2, 3])
z = zip(a, b)
l = list(z)
x = next(b)
z2 = zip(filter(lambda v: v > k, [0, 1, 2]), b)
y = list(z2)
w = list(b)
import os
k_1 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
c_1 = 0
def tick_1():
    global c_1
    c_1 += 1
    return c_1 * (1 if k_1 else 2)
it_1 = iter(tick_1, 2)
x_1 = next(it_1, 'none')
y_1 = next(it_1, 'none')
c2_1 = c_1
z_1 = next(it_1, 'none')
c3_1 = c_1
def gen_1(n):
    for i in range(n):
        yield i
a_1 = zip(gen_1(k_1), map(lambda v: tick_1(), range(5)))
t_1 = next(a_1, 'none')
c4_1 = c_1
b_1 = map(lambda p, q: p, gen_1(k_1), map(lambda v: tick_1(), range(5)))
t2_1 = next(b_1, 'none')
c5_1 = c_1
import os
k_2 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
log_2 = []
it_2 = filter(lambda v: v is None or k_2, map(log_2.append, [0, 1, 2, 3]))
x_2 = next(it_2, 'none')
n_2 = len(log_2)
