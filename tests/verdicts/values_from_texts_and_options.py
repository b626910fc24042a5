# profile: agent
import argparse
import json

config = json.loads('{"base": 9, "levels": [1, 100000000], "tags": {"a": "b"}, "rate": 0.5}')
print(config["base"] ** config["levels"][0])
print(config["base"] ** config["levels"][1])  # error: AF101
print(len(config["tags"]["a"] * 10**10))  # error: AF201
try:
    print(json.loads("[1, 2") or 1)
    print(config["base"] ** config["levels"][1])
except ValueError:
    pass

parser = argparse.ArgumentParser(description="options of a program that is run without any")
parser.add_argument("--size", "-s", type=int, default="20")
parser.add_argument("--max-size", type=int, default=10**11)
parser.add_argument("--dry-run", action="store_true")
parser.add_argument("--name")
options = parser.parse_args([])
print([0] * options.size, options.name)
if not options.dry_run:
    print([0] * options.max_size)  # error: AF201

# What is on the command line of a program in a test is not known.
unknown = parser.parse_args()
print([0] * unknown.max_size)

needs = argparse.ArgumentParser()
needs.add_argument("path")
needs.parse_args([])
print([0] * 10**11)
