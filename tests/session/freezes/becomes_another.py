# expect: timed_out
# state: kept
import os
os.execvp("sleep", ["sleep", "1000"])
