# profile: agent
# Matching that takes longer than the limit, however it is asked for; and texts and patterns that look alike and take no time.
import re
import re as regular
from re import IGNORECASE, compile as build, search as find

LONG = "a" * 45 + "!"
PATTERN = re.compile(r"(a+)+$")


def attempt(run):
    try:
        run()
    except Exception:
        pass


def method():
    print(PATTERN.search(LONG))  # error: AF611


def renamed():
    print(regular.match(r"^(?:a|a)*$", LONG))  # error: AF611


def imported():
    print(find("(a|aa)+$", "ba" + LONG * 2))  # error: AF611


def built(text):
    expression = build("(A+)+$", IGNORECASE | re.M)
    same = expression.findall
    print(same(text))  # error: AF611


def bytes_too():
    print(re.split(rb"(x*x*)*y", b"x" * 40 + b"z"))  # error: AF611


def replaced():
    print(PATTERN.sub(lambda m: m.group(0).upper(), LONG))  # error: AF611


def lazily():
    print(re.match(r"(?:a*?)*?b", LONG))  # error: AF611


def looked_ahead():
    print(re.match(r"(?!(?:a|a)+$)a", LONG))  # error: AF611


def in_lines():
    print(re.search(r"""(?x) ^ (?: \w+ \s? )* $  # words""", "one two three " * 4 + "?"))  # error: AF611


attempt(method)
attempt(renamed)
attempt(imported)
built(LONG)
attempt(bytes_too)
attempt(lazily)
attempt(looked_ahead)
attempt(in_lines)

# It searches only when it is asked for the first match.
matches = PATTERN.finditer(LONG)  # warning: AF611

# Everything matches at once.
print(PATTERN.search("a" * 45))
# The text begins with what never matches.
print(PATTERN.match("!" + "a" * 45))
# What is literal must be there.
print(re.search(r"x(a+)+$", LONG))
# Alternatives of one character are a set of characters.
print(re.match(r"^(?:\w|\d|_)+!$", LONG + "?"))
# Too few characters to take long.
print(re.match(r"^(a|aa)+$", "a" * 24 + "!"))
print(PATTERN.search("a" * 20 + "!"))
# A text that is no text fails at once.
attempt(lambda: PATTERN.search(LONG.encode()))
# A template with an unknown escape fails before anything is searched.
attempt(lambda: print(PATTERN.sub(r"\y", LONG)))  # warning: AF611
# No matches are asked for.
print(PATTERN.split("ab" * 20))
# A pattern that is none.
attempt(lambda: print(re.search("(a+)+$(", LONG)))
# From here on a function has been given away, which may be called at any time.
attempt(replaced)
# Another module that happens to be called alike.
try:
    import regex

    print(regex.search(r"(a+)+$", LONG))
except ImportError:
    pass
