class Box: pass
def with_default(n):
    def f(l, m=n):
        l.append(len(m)); return sum(l)
    return f
def mk():
    q=[0]
    def g(l):
        l.append(len(q)+1); return len(q)
    return q,g
q,g=mk()
def h(l):
    b.x.append(1); return len(l)
b=Box()
def k(it,l):
    l.append(9)
    return list(it)
out=[]
for _ in range(3):
    n=[1]; f=with_default(n)
    out.append((f(n),f(n),f(n)))
for _ in range(2):
    q,g=mk(); out.append((g(q),g(q),g(q)))
for _ in range(2):
    n=[]; b.x=n
    out.append((h(n),h(n)))
for _ in range(2):
    n=[]; it=iter(n); out.append((k(it,n),k(it,n), n))
def m(l, d):
    l.append(1); d['a'].append(2); return len(l)
for _ in range(2):
    n=[]; d={'a':n}; out.append((m(n,d),m(n,d)))
def w(l,t):
    l.append(1); t[0][0].append(2); return len(l)
for _ in range(2):
    n=[]; out.append((w(n,((n,),)),w(n,((n,),))))

