def f(v):
    return v * 2
a = f(1000)
b = eval("f(2" + "**40)")
def outer():
    def inner(v):
        return v * 2
    return inner
c = outer()(3)
d = eval("outer()(2" + "**40)")
class A:
    def m(self, v):
        return v * 2
e = A().m(4)
g = eval("A().m(2" + "**40)")
