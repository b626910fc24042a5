class A:
    def __str__(self):
        return "A!"
    def __index__(self):
        return 3
    def __iter__(self):
        return iter([1, 2])
a1 = "%s" % A()
a2 = "%s-%s" % (A(), 1)
a3 = [0] * A()
a4 = "ab" * A()
a5 = [0]
a5 += A()
a6 = [9] + list(A())
try:
    [0] + A()
except TypeError:
    a7 = "no list"
try:
    "%d" % object()
except TypeError:
    a8 = "no number"
a9 = "%s" % object() != ""
b1 = b"%s" % b"x"
