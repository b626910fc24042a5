# profile: library
# Patterns on texts that nobody knows: a warning where some text makes them take very long.
import re

WORDS = re.compile(r"^(\w+\s?)*$")
NUMBER = re.compile(r"^\d+(?:\.\d+)?$")
COLUMNS = re.compile(r"(.*),(.*),(.*),(.*),(.*)\n")


def words(text):
    return WORDS.match(text)  # warning: AF611


def number(text):
    return NUMBER.match(text)


def trimmed(text):
    return re.sub(r"\s+$", "", text)


def columns(text):
    return COLUMNS.match(text)  # warning: AF611


def quoted(text):
    return re.findall(r'"(?:[^"\\]|\\.)*"', text)


def kept(text):
    return re.match(r"(?=(\w+))\1:", text)


def own(pattern, text):
    return re.match(pattern, text)


def short():
    return re.search(r"(a+)+$", "a" * 12 + "!")


def long():
    return re.search(r"(a+)+$", "a" * 60 + "!")  # error: AF611


class Reader:
    def match(self, text):
        return text

    def read(self, text):
        return self.match(r"(a+)+$" + text)
