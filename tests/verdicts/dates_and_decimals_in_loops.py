# profile: agent
import random
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction


def days(start, end, step):
    out = []
    while start < end:  # error: AF401
        out.append(start.strftime("%Y-%m-%d"))
        start += timedelta(days=step)
    return out


def every_day(start, end):
    out = []
    while start < end:
        out.append(start.strftime("%Y-%m-%d"))
        start += timedelta(days=1)
    return out


def slots(start, end, minutes):
    step = timedelta(minutes=minutes)
    out = []
    while start + step <= end:  # error: AF401
        out.append((start, start + step))
        start = start + step
    return out


def first_of_months(day):
    while day.year < 2025:  # error: AF401
        day = day.replace(month=day.month % 12 + 1, day=1)
    return day


def next_working_day(day):
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day


def past_the_last_day(day):
    while True:
        day += timedelta(days=200)


def in_thirds():
    total = Decimal("0")
    while total < 1:  # error: AF401
        total = (total + Decimal("0.3")) % Decimal("0.9")
    return total


def in_tenths():
    total = Decimal("0")
    while total != 1:
        total += Decimal("0.1")
    return total


def interest_only():
    owed = Decimal("100.00")
    while owed > 0:  # error: AF401
        owed = (owed * Decimal("1.02") - 2).quantize(Decimal("0.01"))
    return owed


def paid_off():
    owed = Decimal("100.00")
    while owed > 0:
        owed = (owed * Decimal("1.02") - 5).quantize(Decimal("0.01"), rounding=ROUND_DOWN)
    return owed


def square_root(n):
    x = Decimal(n)
    while x * x != n:  # error: AF401
        x = (x + n / x) / 2
    return x


def steps_over(x):
    while x != 1:  # error: AF401
        x += Fraction(1, 3)
        if x > 1:
            x = Fraction(1, 2)


def meets(x):
    while x != 1:
        x += Fraction(1, 6)


every_day(datetime(2024, 1, 1), datetime(2024, 2, 1))
next_working_day(date(2024, 3, 2))
in_tenths()
paid_off()
meets(Fraction(1, 2))
if random.random() < 0.1:
    days(datetime(2024, 1, 1), datetime(2024, 2, 1), 0)
if random.random() < 0.1:
    slots(datetime(2024, 5, 1, 9), datetime(2024, 5, 1, 17), 0)
if random.random() < 0.1:
    first_of_months(date(2024, 1, 31))
if random.random() < 0.1:
    in_thirds()
if random.random() < 0.1:
    interest_only()
if random.random() < 0.1:
    square_root(Decimal(2))
if random.random() < 0.1:
    steps_over(Fraction(1, 2))
try:
    past_the_last_day(date(2024, 1, 1))
except OverflowError:
    pass
