"""Prints small patterns and texts, a line of JSON each, with what `re` finds and what its matcher does on the way."""
import json
import random
import re
import resource
import sys
import warnings

sys.path.insert(0, __file__.rsplit("/", 1)[0])
from sre import Matcher, TooMuch, real

warnings.simplefilter("ignore")
sys.setrecursionlimit(20_000)
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
rng = random.Random(sys.argv[2] if len(sys.argv) > 2 else "antifreeze")
NEW = sys.version_info >= (3, 11)
ATOMS = ["a", "b", "c", "A", " ", "\n", ".", r"\w", r"\d", r"\s", r"\W", "[ab]", "[^a]", "[a-c1]", r"[\w-]", "[^b\\s]", "1", "-", "é", r"[\da]"]


def piece(depth):
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        return rng.choice(ATOMS)
    if kind < 0.62:
        return "(" + rng.choice(["", "?:", "?:"]) + alternatives(depth - 1) + ")"
    if kind < 0.92:
        body = piece(depth - 1)
        if body[-1] in "*+?}" or body in ("^", "$") or body.startswith("(?=") or len(body) > 2 and body[0] not in "([\\":
            body = "(?:" + body + ")"
        q = rng.choice(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*", "+"])
        return body + q + rng.choice(["", "", "", "?", "+" if NEW else "?"])
    return rng.choice(["^", "$", r"\b", r"\B", r"\A", r"\Z", "(?={})", "(?!{})", "(?<=a)", "(?<!b)", "(?>{})" if NEW else "(?:{})", "(?i:{})", "(?-i:{})"]).replace(
        "{}", alternatives(depth - 1)
    )


def alternatives(depth):
    return "|".join("".join(piece(depth) for _ in range(rng.choice([1, 1, 2, 3]))) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def text():
    base = rng.choice(["ab", "a", "abc", "aAb", "ab1 -", "a\n", "ab \n-1é"])
    return "".join(rng.choice(base) for _ in range(rng.randrange(0, 13)))


wanted = int(sys.argv[1])
while wanted:
    pattern, subject = alternatives(3), text()
    flags = rng.choice([0, 0, 0, re.I, re.M, re.S, re.A, re.I | re.A, re.M | re.S])
    method = rng.choice(["match", "fullmatch", "search", "search", "finditer"])
    try:
        found = real(pattern, flags, subject, method)
    except re.error:
        continue
    matcher = Matcher(pattern, flags, subject)
    try:
        mine = matcher.run(method)
    except (TooMuch, RecursionError):
        continue
    assert mine == found, (pattern, flags, subject, method, mine, found)
    wanted -= 1
    print(json.dumps([pattern, int(flags), subject, method, found, matcher.jumps, matcher.scans]))
