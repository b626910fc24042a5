"""Runs what `re` compiles a pattern to, step by step, and counts. An independent witness: it follows `Modules/_sre/sre_lib.h` literally and
remembers nothing, so it is as slow as the matcher is, and slower."""
import re
import _sre

try:
    from re import _compiler as compiler, _constants as c, _parser as parser
except ImportError:
    import sre_compile as compiler, sre_constants as c, sre_parse as parser

N = {str(op): int(op) for op in c.OPCODES}
NAMES = {v: k for k, v in N.items()}
AT = {int(v): str(v) for v in c.ATCODES}
CH = {int(v): str(v) for v in c.CHCODES}
MAXREPEAT = int(c.MAXREPEAT)


class TooMuch(Exception):
    pass


def is_word(ch, kind):
    if "UNI" in kind:
        return chr(ch).isalnum() or ch == 95
    return ch < 128 and (chr(ch).isalnum() or ch == 95)


def category(code, ch):
    kind = CH[code]
    uni = "UNI" in kind
    if "DIGIT" in kind:
        got = chr(ch).isdecimal() if uni else 48 <= ch <= 57
    elif "SPACE" in kind:
        got = chr(ch).isspace() if uni else ch == 32 or 9 <= ch <= 13
    elif "WORD" in kind:
        got = is_word(ch, kind)
    else:
        got = ch == 10
    return got != ("NOT" in kind)


class Matcher:
    def __init__(self, pattern, flags, text, most=200_000):
        p = parser.parse(pattern, flags)
        self.code = [int(x) for x in compiler._code(p, flags)]
        self.text = [ord(x) for x in text] if isinstance(text, str) else list(text)
        self.end = len(self.text)
        self.jumps = self.scans = 0
        self.most = most
        self.repeat = None
        self.ptr = self.start = 0
        self.match_all = False
        self.must_advance = False
        self.marks = {}

    def charset(self, at, ch):
        code, ok = self.code, True
        while True:
            op = NAMES[code[at]]
            at += 1
            if op == "FAILURE":
                return not ok
            if op == "LITERAL":
                if ch == code[at]:
                    return ok
                at += 1
            elif op == "CATEGORY":
                if category(code[at], ch):
                    return ok
                at += 1
            elif op == "CHARSET":
                if ch < 256 and code[at + ch // 32] >> (ch & 31) & 1:
                    return ok
                at += 8
            elif op == "RANGE":
                if code[at] <= ch <= code[at + 1]:
                    return ok
                at += 2
            elif op == "RANGE_UNI_IGNORE":
                up = ord(chr(ch).upper()) if len(chr(ch).upper()) == 1 else ch
                if code[at] <= ch <= code[at + 1] or code[at] <= up <= code[at + 1]:
                    return ok
                at += 2
            elif op == "NEGATE":
                ok = not ok
            elif op == "BIGCHARSET":
                count = code[at]
                at += 1
                block = -1
                if ch < 65536:
                    i = ch >> 8
                    block = code[at + i // 4] >> (8 * (i % 4)) & 255
                at += 64
                if block >= 0 and code[at + (block * 256 + (ch & 255)) // 32] >> (ch & 31) & 1:
                    return ok
                at += count * 8
            else:
                raise AssertionError(op)

    def single(self, at, ptr):
        """Whether the operation at `at` takes the character at `ptr`, and where the next one is; None if it takes none."""
        op = NAMES[self.code[at]]
        a = at + 1
        if op not in SINGLE:
            return None
        ch = self.text[ptr] if ptr < self.end else None
        if op in ("ANY", "ANY_ALL"):
            return ch is not None and (op == "ANY_ALL" or ch != 10), a
        if op.startswith("IN"):
            if ch is not None:
                if op == "IN_IGNORE":
                    ch = _sre.ascii_tolower(ch)
                elif op == "IN_UNI_IGNORE":
                    ch = _sre.unicode_tolower(ch)
            return ch is not None and self.charset(a + 1, ch), a + self.code[a]
        if ch is not None:
            if op.endswith("_UNI_IGNORE"):
                ch = _sre.unicode_tolower(ch)
            elif op.endswith("_IGNORE"):
                ch = _sre.ascii_tolower(ch)
        return ch is not None and (ch == self.code[a]) != op.startswith("NOT"), a + 1

    def at(self, code, ptr):
        kind = AT[code]
        before = self.text[ptr - 1] if ptr > 0 else None
        after = self.text[ptr] if ptr < self.end else None
        if kind in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            return ptr == 0
        if kind == "AT_BEGINNING_LINE":
            return ptr == 0 or before == 10
        if kind == "AT_END":
            return ptr == self.end or ptr == self.end - 1 and after == 10
        if kind == "AT_END_LINE":
            return ptr == self.end or after == 10
        if kind == "AT_END_STRING":
            return ptr == self.end
        if not self.text:
            return False
        this = after is not None and is_word(after, kind)
        that = before is not None and is_word(before, kind)
        return (this == that) == ("NON" in kind)

    def count(self, item, most):
        ptr = self.ptr
        stop = self.end if most == MAXREPEAT else min(self.end, ptr + most)
        while ptr < stop and self.single(item, ptr)[0]:
            ptr += 1
        if NAMES[self.code[item]] != "ANY_ALL":
            self.scans += ptr - self.ptr
        return ptr - self.ptr

    def jump(self, at, toplevel):
        self.jumps += 1
        if self.jumps + self.scans > self.most:
            raise TooMuch
        return self.match(at, toplevel)

    def tail_done(self, tail, ptr, toplevel):
        return NAMES[self.code[tail]] == "SUCCESS" and ptr == self.end and not (toplevel and self.must_advance and ptr == self.start)

    def match(self, at, toplevel):
        code, ptr = self.code, self.ptr
        while True:
            op = NAMES[code[at]]
            a = at + 1
            if op == "INFO":
                if code[a + 2] and self.end - ptr < code[a + 2]:
                    return False
                at = a + code[a]
            elif op in SINGLE:
                took, at = self.single(at, ptr)
                if not took:
                    return False
                ptr += 1
            elif op == "MARK":
                at = a + 1
            elif op == "SUCCESS":
                if toplevel and (self.match_all and ptr != self.end or self.must_advance and ptr == self.start):
                    return False
                self.ptr = ptr
                return True
            elif op == "AT":
                if not self.at(code[a], ptr):
                    return False
                at = a + 1
            elif op == "JUMP":
                at = a + code[a]
            elif op == "FAILURE":
                return False
            elif op == "BRANCH":
                while code[a]:
                    first = NAMES.get(code[a + 1])
                    if not (first in ("LITERAL", "IN") and not self.single(a + 1, ptr)[0]):
                        self.ptr = ptr
                        if self.jump(a + 1, toplevel):
                            return True
                    a += code[a]
                return False
            elif op in ("REPEAT_ONE", "POSSESSIVE_REPEAT_ONE"):
                low, high, item, tail = code[a + 1], code[a + 2], a + 3, a + code[a]
                if low > self.end - ptr:
                    return False
                self.ptr = ptr
                n = self.count(item, high)
                ptr += n
                if n < low:
                    return False
                if self.tail_done(tail, ptr, toplevel):
                    self.ptr = ptr
                    return True
                if op == "POSSESSIVE_REPEAT_ONE":
                    at = tail
                    continue
                literal = NAMES[code[tail]] == "LITERAL"
                while n >= low:
                    if not literal or self.single(tail, ptr)[0]:
                        self.ptr = ptr
                        if self.jump(tail, toplevel):
                            return True
                    ptr -= 1
                    n -= 1
                return False
            elif op == "MIN_REPEAT_ONE":
                low, high, item, tail = code[a + 1], code[a + 2], a + 3, a + code[a]
                if low > self.end - ptr:
                    return False
                self.ptr = ptr
                n = self.count(item, low) if low else 0
                if n < low:
                    return False
                ptr += n
                if NAMES[code[tail]] == "SUCCESS" and not (
                    toplevel and (self.match_all and ptr != self.end or self.must_advance and ptr == self.start)
                ):
                    self.ptr = ptr
                    return True
                while high == MAXREPEAT or n <= high:
                    self.ptr = ptr
                    if self.jump(tail, toplevel):
                        return True
                    if ptr >= self.end or not self.single(item, ptr)[0]:
                        break
                    ptr += 1
                    n += 1
                return False
            elif op == "REPEAT":
                rep = {"count": -1, "at": a, "prev": self.repeat, "last": None}
                self.repeat = rep
                self.ptr = ptr
                got = self.jump(a + code[a], toplevel)
                self.repeat = rep["prev"]
                return got
            elif op in ("MAX_UNTIL", "MIN_UNTIL"):
                rep = self.repeat
                low, high, body = code[rep["at"] + 1], code[rep["at"] + 2], rep["at"] + 3
                self.ptr = ptr
                n = rep["count"] + 1
                if n < low:
                    rep["count"] = n
                    if self.jump(body, toplevel):
                        return True
                    rep["count"] = n - 1
                    self.ptr = ptr
                    return False
                if op == "MIN_UNTIL":
                    self.repeat = rep["prev"]
                    got = self.jump(a, toplevel)
                    self.repeat = rep
                    if got:
                        return True
                    self.ptr = ptr
                    if high != MAXREPEAT and n >= high or ptr == rep["last"]:
                        return False
                if (n < high or high == MAXREPEAT) and ptr != rep["last"]:
                    rep["count"] = n
                    last, rep["last"] = rep["last"], ptr
                    got = self.jump(body, toplevel)
                    rep["last"] = last
                    if got:
                        return True
                    rep["count"] = n - 1
                    self.ptr = ptr
                if op == "MIN_UNTIL":
                    return False
                self.repeat = rep["prev"]
                got = self.jump(a, toplevel)
                self.repeat = rep
                if got:
                    return True
                self.ptr = ptr
                return False
            elif op == "POSSESSIVE_REPEAT":
                low, high = code[a + 1], code[a + 2]
                self.ptr = ptr
                n = 0
                while n < low:
                    if not self.jump(a + 3, False):
                        return False
                    n += 1
                ptr = None
                while (n < high or high == MAXREPEAT) and self.ptr != ptr:
                    ptr = self.ptr
                    if not self.jump(a + 3, False):
                        self.ptr = ptr
                        break
                    n += 1
                at = a + code[a] + 1
                ptr = self.ptr
            elif op == "ATOMIC_GROUP":
                self.ptr = ptr
                if not self.jump(a + 1, False):
                    return False
                at = a + code[a]
                ptr = self.ptr
            elif op in ("ASSERT", "ASSERT_NOT"):
                back = code[a + 1]
                if ptr < back:
                    if op == "ASSERT":
                        return False
                else:
                    self.ptr = ptr - back
                    if self.jump(a + 2, False) != (op == "ASSERT"):
                        return False
                at = a + code[a]
            else:
                raise NotImplementedError(op)

    def search(self, start):
        """The first match from `start` on. Starts that a search sees to be hopeless are not entered."""
        code, at, flags, last = self.code, 0, 0, self.end
        prefix, charset = [], None
        if NAMES[code[0]] == "INFO":
            flags = code[2]
            if code[3] and self.end - start < code[3]:
                return None
            if code[3] > 1:
                last = max(start, self.end - code[3] + 1)
            if flags & c.SRE_INFO_PREFIX:
                prefix = code[7 : 7 + code[5]]
            elif flags & c.SRE_INFO_CHARSET:
                charset = 5
            at = 1 + code[1]
        if prefix or charset is not None:
            self.must_advance = False
            for ptr in range(start, self.end):
                if prefix and self.text[ptr : ptr + len(prefix)] != prefix:
                    continue
                if charset is not None and not self.charset(charset, self.text[ptr]):
                    continue
                self.start = self.ptr = ptr
                if self.jump(at, False):
                    return ptr, self.ptr
            return None
        for ptr in range(start, last + 1):
            self.start = self.ptr = ptr
            got = self.jump(at, ptr == start)
            self.must_advance = False
            if got:
                return ptr, self.ptr
            if NAMES[code[at]] == "AT" and AT[code[at + 1]] in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
                return None
        return None

    def run(self, method):
        if method in ("match", "fullmatch"):
            self.match_all = method == "fullmatch"
            self.start = self.ptr = 0
            return [(0, self.ptr)] if self.jump(0, True) else []
        if method == "search":
            got = self.search(0)
            return [got] if got else []
        found, start = [], 0
        while start <= self.end:
            got = self.search(start)
            if not got:
                break
            found.append(got)
            start = got[1]
            self.must_advance = got[0] == got[1]
        return found


SINGLE = {
    op for op in N if op in ("ANY", "ANY_ALL", "IN", "IN_IGNORE", "IN_UNI_IGNORE") or op.startswith(("LITERAL", "NOT_LITERAL"))
}


def real(pattern, flags, text, method):
    p = re.compile(pattern, flags)
    if method == "finditer":
        return [m.span() for m in p.finditer(text)]
    m = getattr(p, method)(text)
    return [m.span()] if m else []
