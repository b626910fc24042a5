"""Prints short texts full of what means something in patterns, a line of JSON each, with whether `re` takes them."""
import json
import random
import re
import sys
import warnings

warnings.simplefilter("ignore")
rng = random.Random("syntax")
PIECES = list("abi01 #\n^$.|()[]{}*+?\\-,:=!<>P") + [
    "(?:", "(?P<n>", "(?P=n)", "(?i)", "(?i:", "(?-i:", "(?x)", "(?#", "(?=", "(?!", "(?<=", "(?<!", "(?(1)", "{2}", "{1,3}", "{,2}", "\\1", "\\12",
    "\\012", "\\x41", "\\u0041", "\\d", "\\w", "\\S", "\\b", "\\A", "\\Z", "[a-", "[^", "\\Q", "*?", "++", "(?>", "[]", "[\\d-", "\\U00000041", "\\8",
]
for _ in range(int(sys.argv[1])):
    text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 9)))
    flags = rng.choice([0, 0, re.X, re.I])
    given = text.encode("latin1") if rng.random() < 0.2 else text
    try:
        re.compile(given, flags)
        ok = True
    except (re.error, OverflowError, ValueError):
        ok = False
    print(json.dumps([text, int(flags), isinstance(given, bytes), ok]))
