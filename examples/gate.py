"""An agent loop that asks the gate before it runs what a model wrote, and hands the reasons back to the model.

It needs `antifreeze` on PATH. `ask_model` stands for the call of a model.
"""

import json
import subprocess


def reasons(code):
    """Why the gate rejects the code; an empty list if it does not."""
    done = subprocess.run(
        ["antifreeze", "check", "-", "--format", "json"],
        input=code,
        capture_output=True,
        text=True,
        timeout=30,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    (file,) = json.loads(done.stdout)["files"]
    return [
        f"line {finding['line']}: {finding['message']} {finding['help']}"
        for finding in file["findings"]
        if finding["level"] == "error"
    ]


def ask_model(attempt, feedback):
    """Writes code that freezes first, and does better once told why."""
    return "print(pow(10, 10 ** 8, 97))" if feedback else "print(10 ** 10 ** 8 % 97)"


feedback = []
for attempt in range(3):
    code = ask_model(attempt, feedback)
    feedback = reasons(code)
    if not feedback:
        print("accepted:", code)
        break
    print("rejected:", *feedback, sep="\n  ")
