#!/usr/bin/env python3
"""Measures the cost floors of `src/value/cost.rs`.

    benches/cost_floors.py ~/.pyenv/versions/3.*/bin/python

runs every operation under every interpreter given and prints a table: the least time per operation over all repeats, in nanoseconds, the last column
the fastest of all with its interpreter. A floor is that figure divided by 3. Loops are unrolled and the empty loop subtracted, so that a figure never
contains more than the operation it names; where a difference comes out below 0.05 ns the operation is too cheap to have a floor.
"""
import json
import subprocess
import sys

CHILD = r'''
import json, sys, time
from time import perf_counter_ns as clock

def best(function, count, repeats=15):
    least = None
    for _ in range(repeats):
        started = clock()
        function()
        took = clock() - started
        least = took if least is None or took < least else least
    return least / count

def loop(body, setup="", n=20_000, unroll=10):
    """Time of one `body`, less the loop around it."""
    def timed(lines):
        source = "def f():\n    " + "\n    ".join((setup or "pass").splitlines()) + "\n    for _ in range(%d):\n" % n + "".join("        " + line + "\n" for line in lines)
        space = {}
        exec(source, space)
        return best(space["f"], 1)
    empty = timed(["pass"])
    return max(0.0, (timed([body] * unroll) - empty) / (n * unroll))

def whole(source, count, setup="", repeats=15):
    """Time of a whole function divided by a count."""
    space = {}
    exec("def f():\n    " + "\n    ".join((setup + "\n" if setup else "").splitlines() + source.splitlines()), space)
    return best(space["f"], count, repeats)

def expression(source, count, setup="", repeats=15):
    space = {}
    exec(setup, space)
    exec("def f():\n    " + source, space)
    return best(space["f"], count, repeats)

N = 200_000
R = {}
R["for_range_iteration"] = whole("for i in range(%d):\n    pass" % N, N)
R["for_list_iteration"] = expression("for i in x: pass", N, "x = [None] * %d" % N)
R["while_iteration"] = whole("i = 0\nwhile i < %d:\n    i += 1" % N, N)
R["while_true_pass"] = whole("it = iter([0] * %d + [1]).__next__\nwhile not it():\n    pass" % N, N)
R["local_store"] = loop("a = b", "a = b = 1")
R["global_load"] = loop("len", "")
R["int_sub_small"] = loop("a - b", "a = 7; b = 5")
R["int_add"] = loop("a + b", "a = 12345; b = 678")
R["int_mul"] = loop("a * b", "a = 12345; b = 678")
R["int_floordiv"] = loop("a // b", "a = 12345; b = 678")
R["int_mod"] = loop("a % b", "a = 12345; b = 678")
R["int_pow"] = loop("a ** b", "a = 123; b = 5")
R["int_shift"] = loop("a << b", "a = 123; b = 5")
R["int_and"] = loop("a & b", "a = 123; b = 5")
R["int_compare"] = loop("a < b", "a = 12345; b = 678")
R["int_compare_branch"] = loop("if a < b: pass", "a = 1; b = 2")
R["float_add"] = loop("a + b", "a = 1.5; b = 2.5")
R["float_mul"] = loop("a * b", "a = 1.5; b = 2.5")
R["float_div"] = loop("a / b", "a = 1.5; b = 2.5")
R["float_pow"] = loop("a ** b", "a = 1.5; b = 2.5")
R["float_compare"] = loop("a < b", "a = 1.5; b = 2.5")
R["boolean_not"] = loop("not a", "a = True")
R["branch"] = loop("if a: pass", "a = True")
R["attribute_load"] = loop("a.x", "class C: pass\na = C(); a.x = 1")
R["attribute_store"] = loop("a.x = 1", "class C: pass\na = C(); a.x = 1")
R["item_load_tuple"] = loop("a[1]", "a = (1, 2, 3)")
R["item_load"] = loop("a[1]", "a = [1, 2, 3]")
R["item_store"] = loop("a[1] = 2", "a = [1, 2, 3]")
R["dict_load"] = loop("a['k']", "a = {'k': 1}")
R["dict_store"] = loop("a['k'] = 1", "a = {'k': 1}")
R["list_append"] = loop("a.append(1)", "a = []", n=5_000)
R["list_display"] = loop("[a, a]", "a = 1")
R["tuple_display"] = loop("(a, a)", "a = 1")
R["dict_display"] = loop("{}", "")
R["type_call"] = loop("type(a)", "a = 1")
R["function_call"] = loop("g()", "def g(): pass")
R["method_call"] = loop("a.m()", "class C:\n        def m(self): pass\na = C()")
R["lambda_call"] = loop("g()", "g = lambda: None")
R["builtin_call"] = loop("g(a)", "g = len; a = ()")
R["abs_call"] = loop("abs(a)", "a = 5")
R["instance_creation"] = loop("C()", "class C: pass", n=5_000)
R["generator_step"] = whole("def g():\n    while True: yield None\nfor i, _ in zip(range(%d), g()): pass" % N, N)
R["comprehension_item"] = whole("[None for i in range(%d)]" % N, N)
R["generator_sum_item"] = whole("sum(1 for i in range(%d))" % N, N)
R["try_block"] = loop("try: pass\n        except ValueError: pass", "")
R["raise_and_catch"] = whole("for i in range(20000):\n    try: raise ValueError\n    except ValueError: pass", 20000)
R["str_concat"] = loop("a + b", "a = 'abc'; b = 'de'")
R["str_format"] = loop("f'{a}'", "a = 12")
R["str_of_int"] = loop("str(a)", "a = 12345")
R["print_line"] = whole("import io, contextlib\nout = io.StringIO()\nfor i in range(20000): print('', file=out)", 20000)
# C loops, per item.
M = 1_000_000
R["sum_range_item"] = expression("sum(range(%d))" % M, M)
for name, source in (("list_range_item", "list(range(%d))"), ("list_repeat_item", "[None] * %d"), ("set_range_item", "set(range(%d))"), ("dict_fromkeys_item", "dict.fromkeys(range(%d))"), ("bytearray_byte", "bytearray(%d)"), ("str_repeat_byte", "'x' * %d")):
    R[name] = min(expression(source % size, size, repeats=15) for size in (2_000, 20_000, 200_000))
R["sum_list_item"] = expression("sum(x)", M, "x = [1] * %d" % M)
R["tuple_of_list_item"] = expression("tuple(x)", M, "x = [None] * %d" % M, repeats=7)
R["deque_consume_item"] = expression("deque(repeat(None, %d), maxlen=0)" % M, M, "from collections import deque; from itertools import repeat")
R["count_item"] = expression("deque(islice(count(), %d), maxlen=0)" % M, M, "from collections import deque; from itertools import count, islice")
R["product_item"] = expression("deque(product(range(1000), repeat=2), maxlen=0)", 10 ** 6, "from collections import deque; from itertools import product")
R["permutations_item"] = expression("deque(permutations(range(9)), maxlen=0)", 362_880, "from collections import deque; from itertools import permutations")
R["combinations_item"] = expression("deque(combinations(range(24), 6), maxlen=0)", 134_596, "from collections import deque; from itertools import combinations")
R["any_item"] = expression("any(x)", M, "x = [0] * %d" % M)
R["max_item"] = expression("max(x)", M, "x = [0] * %d" % M)
R["membership_list_item"] = expression("1 in x", M, "x = [None] * %d" % M)
R["membership_range_item"] = expression("1.5 in x", M, "x = range(%d)" % M)
R["sort_sorted_item"] = expression("sorted(x)", M, "x = list(range(%d))" % M, repeats=7)
R["sort_random_item_log2"] = expression("sorted(x)", M * 19.93, "import random; random.seed(1); x = [random.random() for _ in range(%d)]" % M, repeats=3)
R["map_item"] = expression("deque(map(abs, x), maxlen=0)", M, "from collections import deque; x = [1] * %d" % M)
R["filter_item"] = expression("deque(filter(None, x), maxlen=0)", M, "from collections import deque; x = [0] * %d" % M)
R["zip_item"] = expression("deque(zip(x), maxlen=0)", M, "from collections import deque; x = [0] * %d" % M)
R["enumerate_item"] = expression("deque(enumerate(x), maxlen=0)", M, "from collections import deque; x = [0] * %d" % M)
R["reversed_item"] = expression("deque(reversed(x), maxlen=0)", M, "from collections import deque; x = [0] * %d" % M)
R["list_reverse_copy_item"] = expression("x[::-1]", M, "x = [0] * %d" % M, repeats=7)
R["list_slice_item"] = expression("x[:]", M, "x = [0] * %d" % M, repeats=7)
R["join_item"] = expression("''.join(x)", M, "x = ['a'] * %d" % M, repeats=7)
# Memory-bound work, per byte: 16 MiB.
B = 1 << 24
R["str_count_byte"] = expression("x.count('y')", B, "x = 'x' * %d" % B, repeats=5)
R["str_find_byte"] = expression("x.find('y')", B, "x = 'x' * %d" % B, repeats=5)
R["str_replace_byte"] = expression("x.replace('y', 'z')", B, "x = 'x' * %d" % B, repeats=5)
R["str_concat_byte"] = expression("x + 'y'", B, "x = 'x' * %d" % B, repeats=5)
R["str_compare_byte"] = expression("x == y", B, "x = 'x' * %d; y = 'x' * %d" % (B, B), repeats=5)
R["str_encode_byte"] = expression("x.encode()", B, "x = 'x' * %d" % B, repeats=5)
R["str_upper_byte"] = expression("x.upper()", B // 4, "x = 'x' * %d" % (B // 4), repeats=3)
R["str_split_byte"] = expression("x.split(',')", B // 4, "x = 'x' * %d" % (B // 4), repeats=3)
# Big integers: b bits each. Quadratic work is quoted per bit², Karatsuba's per bit**log2(3), linear per bit.
if hasattr(sys, "set_int_max_str_digits"): sys.set_int_max_str_digits(0)
KARATSUBA = 1.5849625007211562
def big(bits): return "import random; random.seed(1); x = random.getrandbits(%d) | 1 << %d; y = random.getrandbits(%d) | 1 << %d" % (bits, bits - 1, bits, bits - 1)
for bits in (10_000, 100_000, 1_000_000):
    R["big_mul_%d_karatsuba" % bits] = expression("x * y", bits ** KARATSUBA, big(bits), repeats=5)
    R["big_square_%d_karatsuba" % bits] = expression("x * x", bits ** KARATSUBA, big(bits), repeats=5)
for bits in (10_000, 100_000, 1_000_000):
    R["big_pow_%d_karatsuba" % bits] = expression("a ** n", bits ** KARATSUBA, "a = 3; n = %d" % int(bits / 1.5849625), repeats=3)
    R["big_pow_of_two_%d_bit" % bits] = expression("a ** n", bits, "a = 2; n = %d" % bits, repeats=5)
    R["big_mul_sparse_%d_bit" % bits] = expression("x * y", bits, "x = y = 1 << %d" % (bits // 2), repeats=5)
for bits in (10_000, 100_000, 400_000):
    R["big_str_%d_quadratic" % bits] = expression("str(x)", bits ** 2.0, big(bits), repeats=3)
    R["big_int_%d_quadratic" % bits] = expression("int(s)", bits ** 2.0, big(bits) + "; s = str(x)", repeats=3)
for bits in (10_000, 100_000, 400_000):
    R["big_str_%d_karatsuba" % bits] = R["big_str_%d_quadratic" % bits] * bits ** (2.0 - KARATSUBA)
    R["big_int_%d_karatsuba" % bits] = R["big_int_%d_quadratic" % bits] * bits ** (2.0 - KARATSUBA)
# Jumps of the matcher as `tests/regex/sre.py` counts them; in `counted` and `two_sets` each comes with a scan.
for name, pattern, text, jumps in [
    ("counted", "a{0,500}a{0,500}$", "'a' * 700 + 'b'", 206353),
    ("alternatives", r"(?:.a|.b|.)*\Zx", "'ab' * 11", 225073),
    ("literals", "(?:aa|a)*c", "'a' * 22", 225073),
    ("two_sets", r"[^x]*[^x]*\Z(?!)", "'a' * 1500 + 'b'", 1131758),
]:
    R["regex_jump_" + name] = expression("match(text)", jumps, "import re; match = re.compile(%r).match; text = %s" % (pattern, text))
R["regex_scan"] = expression("search(text)", 4_501_500, "import re; search = re.compile('a{3000,}c').search; text = 'a' * 3000 + 'b' * 3000")
R["big_add_bit"] = expression("x + y", 10_000_000, big(10_000_000), repeats=5)
R["big_shift_bit"] = expression("x << 7", 10_000_000, big(10_000_000), repeats=5)
R["big_div_quadratic"] = expression("(x * y) // y", 100_000.0 ** 2, big(100_000), repeats=3)
R["big_compare_bit"] = expression("x == y", 10_000_000, "x = (1 << 10_000_000) + 1; y = (1 << 10_000_000) + 1", repeats=5)
R["factorial_20000"] = expression("factorial(20000)", 1, "from math import factorial", repeats=5)
R["powmod_2048"] = expression("pow(x, y, y)", 2048.0 ** 3, big(2048), repeats=5)
R["isqrt_100000_karatsuba"] = expression("isqrt(x)", 100_000 ** KARATSUBA, "from math import isqrt; " + big(100_000), repeats=3)
print(json.dumps(["%d.%d.%d" % sys.version_info[:3], R]))
'''


def main(pythons):
    tables = {}
    for python in pythons:
        done = subprocess.run([python, "-S", "-E", "-c", CHILD], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            print("%s failed with %d" % (python, done.returncode), file=sys.stderr)
            continue
        version, table = json.loads(done.stdout)
        tables[version] = table
    names = list(next(iter(tables.values())))
    print("%-28s" % "ns per operation" + "".join("%12s" % version for version in tables) + "      fastest")
    for name in names:
        row = {version: table.get(name) for version, table in tables.items()}
        known = {version: figure for version, figure in row.items() if figure is not None}
        best = min(known, key=known.get)
        cells = "".join("%12s" % ("-" if figure is None else "%.4g" % figure) for figure in row.values())
        print("%-28s%s %12.4g %s" % (name, cells, known[best], best))


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
