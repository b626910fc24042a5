# What `json.loads` makes of text that is known.
import json

known = json.loads('{"a": [1, 2.5, -0.0, 1e3, 12345678901234567890], "b": {"c": null, "d": true}, "e": "x\\u00e9\\n", "a2": ""}')
first, last = known["a"][0], known["a"][-1]
exponent, zero = known["a"][3], str(known["a"][2])
text = known["e"]
twice = json.loads('{"k": 1, "k": 2}')["k"]
many = len(json.loads(" [ ] "))
special = [str(x) for x in json.loads("[NaN, Infinity, -Infinity]")]
surrogate = json.loads('"\\ud83d\\ude00"')
failures = []
for wrong in ["", "{", "[1,]", "{'a': 1}", '{"a" 1}', "01", "1.", "-", "nul", '"\t"', '"\\x"', "1 2", "[1", '{"a": 1,}', ".5", "+1", "1e"]:
    try:
        failures.append(json.loads(wrong))
    except ValueError as error:
        failures.append(type(error).__name__)
strict = "none"
try:
    json.loads("{}", strict=False)["missing"]
except KeyError:
    strict = "KeyError"
