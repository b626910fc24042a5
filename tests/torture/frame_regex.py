# expect: timed_out
# flags: --timeout 1
# stack: 2
import re
re.match('(a+)+$', 'a' * 40 + 'b')
