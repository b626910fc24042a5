# Answers one JSON request per line: [operation, argument, ...] gives the result, or {"error": type name}.
# Floats travel as the 16 hex digits of their bits, so that NaN, infinities and the sign of zero survive.
import json, math, struct, sys

sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None


def unpack(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def pack(value):
    return struct.pack(">d", value).hex()


def show(value):
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return {"float": pack(value)}
    if isinstance(value, complex):
        return {"complex": repr(value)}
    if isinstance(value, int):
        return {"bits": value.bit_length(), "negative": value < 0, "value": str(value) if value.bit_length() < 127 else None}
    if isinstance(value, (tuple, list)):
        return [show(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": list(value)}
    return value


def product_range(start, stop, step):
    return math.prod(range(start, stop, step))


def lcm(a, b):
    return abs(a * b) // math.gcd(a, b) if a and b else 0


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "divmod": divmod,
    "pow": lambda a, b: a ** b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "round": round,
    "comb": math.comb,
    "perm": math.perm,
    "gcd": math.gcd,
    "lcm": lcm,
    "fmod": math.fmod,
    "hypot": math.hypot,
    "atan2": math.atan2,
    "copysign": math.copysign,
    "ldexp": math.ldexp,
    "format": format,
    "percent": lambda template, value: template % value,
}
UNARY = {
    "factorial": math.factorial,
    "isqrt": math.isqrt,
    "int": int,
    "float": float,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round1": round,
    "repr": repr,
    "ascii": ascii,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "expm1": math.expm1,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "is_integer": lambda x: x.is_integer(),
    "nines": lambda n: 10 ** n - 1,
    "str_len": lambda n: len(str(n)),
}


def argument(value):
    if isinstance(value, dict):
        if "int" in value:
            return int(value["int"])
        if "float" in value:
            return unpack(value["float"])
        if "bytes" in value:
            return bytes(value["bytes"])
        if "tuple" in value:
            return tuple(argument(item) for item in value["tuple"])
    return value


def answer(request):
    operation, *arguments = request
    arguments = [argument(value) for value in arguments]
    if operation == "product_range":
        return product_range(*arguments)
    if operation == "pow_mod":
        return pow(*arguments)
    if operation == "parse_int":
        return int(*arguments)
    if operation.startswith("."):
        return getattr(arguments[0], operation[1:])(*arguments[1:])
    return (UNARY.get(operation) or BINARY[operation])(*arguments)


for line in sys.stdin:
    try:
        result = show(answer(json.loads(line)))
    except Exception as error:
        result = {"error": type(error).__name__}
    print(json.dumps(result))
