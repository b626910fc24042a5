# Values of `datetime`, `decimal` and `fractions` are known through loops.
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

day = date(2024, 1, 31)
month_ends = []
while day.year == 2024:
    month_ends.append(str(day))
    day = (day.replace(day=28) + timedelta(days=10)).replace(day=28)
leap = date(2024, 2, 28) + timedelta(days=1.5)
week = (leap - date(2023, 12, 31)) // timedelta(weeks=1)
late = repr(datetime(2024, 12, 31, 23, 59) + timedelta(minutes=1, microseconds=5))
early = str(timedelta(seconds=-1))
halves = str(timedelta(hours=3) / 2)
same = {date(2024, 1, 1): 1, datetime(2024, 1, 1): 2}.get(date(2024, 1, 1))
try:
    never = date(9999, 12, 31) + timedelta(days=1)
except OverflowError:
    never = "too late"
balance, months = Decimal("100"), 0
while balance > 0:
    balance = (balance * Decimal("1.02") - 12).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    months += 1
left = str(balance)
third = str(Decimal(1) / 3)
small = str(Decimal("1e-9") * Decimal("2.50"))
rest = str(Decimal("-7.5") % 2)
x = Fraction(7, 15)
parts = []
while x > 0:
    n = -(-1 // x) if x < 1 else 1
    parts.append(int(n) if isinstance(n, int) else 0)
    x -= Fraction(1, n)
floor = Fraction(-7, 2) // 1
mod = str(Fraction(-7, 2) % Fraction(2, 3))
