# profile: agent
# A branch on what the world outside decides may be taken. One on values that hang together need not be, whatever each of them
# may be by itself: what is behind it is unclear.
import random
import sys


def each_decided_by_a_draw_of_its_own():
    if random.random() < 0.5:
        if random.randint(0, 9) > 3:
            while True:  # error: AF401
                pass


def narrowed_twice():
    number = random.randint(0, 100)
    if number > 10:
        if number > 20:
            while True:  # error: AF401
                pass


def between_two_draws():
    low = random.randint(0, 5)
    high = random.randint(3, 9)
    if low > high:
        while True:  # error: AF401
            pass


def arguments():
    if len(sys.argv) > 1:
        if sys.argv[1] == "forever":
            while True:  # error: AF401
                pass


def parity():
    number = random.randint(1, 100)
    if number * (number + 1) % 2 == 1:
        while True:  # warning: AF401
            pass


def one_flag_twice():
    flag = random.random() < 0.5
    value = None if flag else 5
    if value is None:
        if not flag:
            while True:  # warning: AF401
                pass


def the_sum_is_known():
    one = random.randint(1, 10)
    other = 11 - one
    if one + other > 11:
        print(10 ** 10 ** 8)  # warning: AF101


def ordered_before():
    one, other = random.randint(0, 9), random.randint(0, 9)
    if one < other:
        return
    if other > one:
        while True:  # warning: AF401
            pass


def sorted_before():
    numbers = sorted(random.randint(0, 100) for _ in range(10))
    if numbers[0] > numbers[-1]:
        while True:  # warning: AF401
            pass


def made_of_digits():
    text = str(random.randint(1, 99))
    try:
        int(text)
    except ValueError:
        while True:
            pass


def from_one_side_of_zero_to_the_other():
    number = random.randint(-9, 9)
    if abs(number) > 5:
        print("far")
    while abs(number) > 9:
        number += 1


each_decided_by_a_draw_of_its_own()
narrowed_twice()
between_two_draws()
arguments()
parity()
one_flag_twice()
the_sum_is_known()
ordered_before()
sorted_before()
made_of_digits()
from_one_side_of_zero_to_the_other()
