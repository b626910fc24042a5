# profile: agent
# Texts that are one part over and over, too long to be looked at character by character.
import random
import re


N = 300_000
if random.random() < 0.5:
    print(re.sub(r"\s+$", "", "-- play" + " " * N + "sound"))  # error: AF611
elif random.random() < 0.5:
    print(re.compile(r"[ \t]+$").search(" \t" * 200_000 + "x"))  # error: AF611
elif random.random() < 0.5:
    print(re.search(r".*.*=", "a" * 12_000))  # error: AF611
elif random.random() < 0.5:
    print(re.split(r"[a-z]+\b$", "ab" * 200_000 + "_."))  # error: AF611


def blank(text):
    return re.search(r"\s+$", text) is None  # error: AF611


if random.random() < 0.5:
    print(blank("x" + " " * N + "x"))
if random.random() < 0.5:
    for match in re.finditer(r"(?:\w+\s*)+:", "lorem ipsum dolor sit amet consectetur adipiscing elit"):  # error: AF611
        print(match)
# So few that it takes no time, or what it looks for is there.
print(re.sub(r"\s+$", "", "-- play" + " " * 5_000 + "sound"))
print(re.search(r"\s+$", " " * N))
print(re.search(r"\s+$", " " * N + "\n"))
print(re.match(r"\s+$", " " * N + "x"))
print(re.search(r"(?<! )[ ]+$", " " * 3_000 + "x"))
print(re.search(r" +x", " " * N + "x"))
print(re.search(r"[a-z]+$", " " * N + "1"))
print(re.findall(r"\d+", "1" * N + "x"))
print(re.search(r"\s+$", (" " * N + "x")[N:]))
print(re.search(r"\s+$", (" " * N + "x").strip()))
print(re.search(r"\s+$", (" " * N + "x")[::-1]))
