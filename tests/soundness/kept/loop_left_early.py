import random, os
k = len(os.environ.get('ANTIFREEZE_FLAG', ''))
out = []
s = 0
for i in range(20000):
    if i == 3 and not k:
        break
    s += i
    out.append(i)
else:
    s = -1
n = len(out)
