import os, itertools
a = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
n = list(itertools.chain(a, (7, 7, 5)))
m = list(a)
it = itertools.chain(a, (7, 7, 5))
x = next(it)
y = next(it)
import os, itertools
a_1 = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
b_1 = [1]
for x_1 in itertools.chain(a_1, b_1):
    if len(b_1) < 3:
        b_1.append('zz')
import os, itertools
a_2 = [7, 7, 5, 6] if len(os.environ.get('ANTIFREEZE_FLAG', '')) > 0 else []
b_2 = [1]
it_2 = itertools.cycle(a_2)
x_2 = next(it_2, 'none')
it_2 = itertools.zip_longest(a_2, b_2)
x2_2 = next(it_2, 'none')
b_2.append('zz')
x3_2 = next(it_2, 'none')
it_2 = itertools.islice(a_2, 2)
x4_2 = next(it_2, 'none')
a_2.append(2.5)
x5_2 = next(it_2, 'none')
it_2 = enumerate(a_2)
x6_2 = next(it_2, 'none')
it_2 = zip(a_2, b_2)
x7_2 = next(it_2, 'none')
b_2.append(2.5)
x8_2 = list(it_2)
import os, itertools
def gen_3(n):
    for i in range(n):
        yield i
    yield 'end'
k_3 = len(os.environ.get('ANTIFREEZE_FLAG', '')) 
g_3 = gen_3(k_3)
x_3 = next(g_3)
it_3 = itertools.chain(gen_3(k_3), gen_3(2), 'ab')
x1_3 = next(it_3)
x2_3 = list(it_3)
it_3 = itertools.chain(range(k_3), {'a': 1}, {3}, map(str, range(k_3)))
x3_3 = next(it_3)
x4_3 = list(it_3)
h_3 = itertools.chain.from_iterable([range(k_3), 'ab', {2.5: 1}])
x5_3 = next(h_3)
x6_3 = list(h_3)
