import os, random, time
a = max((int(random.random() * 4) / 5), len(os.environ.get('ANTIFREEZE_SEED', 'abc')))
b = sum([a, a, a])
c = a * a
d = a * b
e = a + a
f = min((int(random.random() * 4) / 5), len(os.environ.get('ANTIFREEZE_SEED', 'abc')))
g = sorted([(int(random.random() * 4) / 5), len(os.environ.get('ANTIFREEZE_SEED', 'abc'))])
h = sum([a])
