d = {'a': 1, 'b': 2}
seen = ''
try:
    for k, _ in d.items():
        seen = k
        d.setdefault(k + 'x', [])
except RuntimeError:
    seen += '!'
