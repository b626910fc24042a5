import os, itertools
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
xs = [1, 2, 0, 3]
it = filter(lambda v: v != k, xs)
x = next(it, None)
xs.append('zz')
y = list(it)
import os, itertools
a_1 = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
b_1 = [1]
it_1 = itertools.chain(a_1, b_1)
x_1 = next(it_1)
b_1.append('zz')
y_1 = list(it_1)
import os, itertools
k_2 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
xs_2 = [1, 2, 0, 3]
z_2 = []
for v_2 in filter(lambda v_2: v_2 != k_2, xs_2):
    z_2.append(v_2)
    if len(xs_2) < 7:
        xs_2.append('zz')
import os, itertools
k_3 = len(os.environ.get('ANTIFREEZE_FLAG', ''))
xs_3 = [1, 2, 0, 3]
it_3 = itertools.takewhile(lambda v: v != k_3, xs_3)
x_3 = next(it_3, None)
xs_3.append('zz')
y_3 = list(it_3)
it2_3 = itertools.dropwhile(lambda v: v != k_3, xs_3)
x2_3 = next(it2_3, None)
xs_3.append(b'zz')
y2_3 = list(it2_3)
it3_3 = itertools.compress(xs_3, [k_3, 1, 1, k_3, k_3, k_3, 1, 1])
x3_3 = next(it3_3, None)
xs_3.append(2.5)
y3_3 = list(it3_3)
