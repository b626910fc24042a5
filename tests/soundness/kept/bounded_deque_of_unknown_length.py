import os
from collections import deque
inner = [1]
d = deque([inner], maxlen=3)
for _ in range(len(os.environ.get('ANTIFREEZE_FLAG', ''))):
    d.append(inner)
d.append([2])
for x in d:
    x.append(9)
n = len(inner)
