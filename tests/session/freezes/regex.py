# expect: timed_out
# state: kept
# stack: 2
import re
re.match(r"(a+)+$", "a" * 40 + "b")
