# profile: agent
# Fractions, decimals and digits, under the limits that a program can set.
import decimal
import random
import sys
from decimal import Decimal
from fractions import Fraction as F


def at_random():
    return random.random() < 0.01


half = F(1, 2)
if at_random():
    half ** 2_000_000  # error: AF105
if at_random():
    half ** 900_000
if at_random():
    F(-2, 3) ** -1_000_000  # error: AF105
if at_random():
    F("7/3") ** 10 ** 7  # error: AF105
if at_random():
    (half * 3) ** 10 ** 7  # error: AF105
if at_random():
    F(1) ** 10 ** 12
if at_random():
    F(3, 3) ** 10 ** 12
if at_random():
    half ** 0.5
if at_random():
    Decimal(3) ** 10 ** 7
if at_random():
    Decimal(2).sqrt()
if at_random():
    decimal.getcontext().prec = 10 ** 7
    Decimal(2).sqrt()  # error: AF105
if at_random():
    decimal.getcontext().prec = 10 ** 7
    Decimal(4).sqrt()
if at_random():
    int("7" * 1_000_000)
if at_random():
    sys.set_int_max_str_digits(0)
    int("7" * 1_000_000)  # error: AF106
if at_random():
    sys.set_int_max_str_digits(0)
    int("7" * 300_000)
if at_random():
    sys.set_int_max_str_digits(0)
    sys.set_int_max_str_digits(4300)
    int("7" * 1_000_000)
if at_random():
    sys.set_int_max_str_digits(10 ** 7)
    int("12" * 1_000_000)  # error: AF106
if at_random():
    sys.set_int_max_str_digits(0)
    int("x" * 1_000_000)
