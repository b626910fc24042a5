import random, os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
out = []
for i in range(20000):
    if i == 0 and not k:
        break
    out.append(i)
n = len(out)

import random, os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
more = []
def f():
    if not k:
        for i in range(20000):
            more.append(i)
    return len(more)
n = f()

import random, os
v9 = [1, 2]
c = 0
if random.random() < 0.5:
    for v in v9:
        n21 = [v9]
        n21[0].append(1)
        c += 1
        if c > 300:
            break
