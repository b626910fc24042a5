a = int("42"); b = len([1,2,3]); c = sorted([3,1,2]); d = max(1, 5, 2); e = str(12.5); f = sum(range(10)); g = list(map(str, [1,2])); h = repr({"a": [1, "x"]}); i = format(3.14159, ".2f"); j = pow(2, 10, 1000)
k = [x for x in zip("ab", [1,2])]
l = any(x > 2 for x in [1,2,3])
m = round(2.675, 2); n = isinstance(3, (int, str)); o = dict(a=1, b=2); p = list(reversed([1,2,3])); q = divmod(17, 5); r = hex(255)
s = min([3,1,2], key=lambda x: -x); t = sum([0.1]*10); u = tuple(enumerate("ab", 1)); v=abs(-3); w = int("0x1f", 16); x = bytes(3)
