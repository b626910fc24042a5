# expect: finished
# stdout: "o0\no1\no2\n"
# stderr: "e0\ne1\ne2\n"
import sys
for i in range(3):
    print('o%d' % i)
    print('e%d' % i, file=sys.stderr)
