import json


def tried(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return "refused"


refused = [tried(text) for text in ["{bad", '{"a": 1} x', "", "01", "[1,]", "'a'", '"\t"', "nul", "[" * 50]]
taken = [tried(text) for text in ["1e400", "-Infinity", '"\\ud800"', '[1, 2.5, null, true, "\\n"]', '{"b": 1, "a": 2, "b": 3}', " 1 "]]
floats = [tried("0.1"), tried("1e-3"), tried("-0.0"), tried("123456789012345678901234567890")]
keys = list(tried('{"b": 1, "a": 2}'))
