# expect: timed_out out_of_memory
# state: kept
# stack: 2
import itertools
list(itertools.count())
