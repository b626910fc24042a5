"""Runs a program and says which globals lie outside the abstract values given on stdin, and how many are exact."""
import json, sys

def number(text, default):
    return default if text is None else (float(text) if "." in str(text) or "inf" in str(text) or "nan" in str(text) or "e" in str(text) else int(text))

def exact(v):
    kind = v["kind"]
    if kind == "none": return True
    if kind in ("int", "float", "str", "bool", "bytes"): return "value" in v
    if kind in ("list", "tuple", "set", "frozenset"): return "items" in v and not v.get("rest") and all(map(exact, v["items"]))
    if kind == "dict": return not v.get("rest") and all(exact(a) and exact(b) for a, b in v["entries"])
    return False

def inside(v, real):
    kind = v["kind"]
    if kind in ("int", "float", "str", "bool", "bytes", "list", "tuple", "set", "dict") and type(real).__name__ != kind: return False
    if "value" in v:
        value = v["value"]
        if kind == "int": return int(value) == real
        if kind == "float": return float(value) == real
        if kind == "bytes": return bytes(value) == real
        return value == real
    if kind == "int": return number(v["low"], real) <= real <= number(v["high"], real)
    if kind == "float": return real != real or number(v["low"], real) <= real <= number(v["high"], real)
    if kind in ("str", "bytes"): return v["low"] <= len(real) <= (len(real) if v["high"] is None else v["high"])
    if kind in ("list", "tuple") and "items" in v:
        front, rest = v["items"], v.get("rest")
        if not all(inside(a, b) for a, b in zip(front, real)): return False
        more = real[len(front):]
        if not rest: return len(real) == len(front)
        return len(real) >= len(front) + rest["low"] and all(inside(rest["element"], x) for x in more)
    if kind == "set" and not v.get("rest") and all(map(exact, v["items"])):
        return len(v["items"]) == len(real) and all(any(inside(i, x) for i in v["items"]) for x in real)
    if kind == "dict" and not v.get("rest"):
        return len(v["entries"]) == len(real) and all(inside(a, k) and inside(b, w) for (a, b), (k, w) in zip(v["entries"], real.items()))
    return True

program, values = sys.argv[1], json.load(sys.stdin)
sys.argv = [program]
names = {"__name__": "__main__"}
exec(compile(open(program).read(), program, "exec"), names)
real = {k: v for k, v in names.items() if not k.startswith("__")}
wrong = [f"{k}: {values[k]} does not contain {v!r}" for k, v in real.items() if k in values and not inside(values[k], v)]
print(json.dumps({"wrong": wrong, "exact": sum(exact(values[k]) for k in real if k in values), "all": len(real)}))
