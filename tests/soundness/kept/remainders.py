# What is known of remainders holds of every number that comes about.
import random

even = random.choice([0, 2, 4, 10])
odd = even * 2 + 1
third = random.choice([1, 4, 7])
sums = [even + third, even - third, even * third, -third, abs(third - 10), third ** 2, third ** even]
parts = [odd // 2, third // 3, third % 3, odd % 4, odd >> 1, odd << 3, odd & 3, odd | 4, odd ^ 6, ~odd, (-third) // 3, (-third) % 6]
total = sum([random.choice([1, 3]) for _ in range(5)])
lesser, greater = min(even, third), max(even, odd, 3)
walk = 0
for step in range(1, 200, 3):
    walk += random.choice([6, -9, 12])
    last = step
while walk % 2 == 0:
    walk += 3
n = 4
while n < random.randrange(10, 10_000):
    n += 6
    if n % 5 == 2:
        n += 5
filled = str(n).zfill(9)
