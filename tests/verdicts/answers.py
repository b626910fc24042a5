# profile: agent
# Where the end of the input is handled, or the input is another, nothing is said.
import sys

try:
    name = input("name? ")
except (EOFError, KeyboardInterrupt):
    name = ""


def ask(prompt):
    try:
        return input(prompt)
    except Exception:
        return None


ask("age? ")


class Console:
    def input(self, prompt):
        return prompt


Console().input("x")
stdin = ["a", "b"]
for line in stdin:
    print(line)
answer = sys.stdin.readline()  # error: AF504
