"""Random Python programs: branches, loops with exits, views, aliases, rebinding, calls that write.

Programs have the arrays x, y (arguments), u and v, the numbers a, b, c and the integers n, k; every loop is bounded.
A program may be refused where it depends on run-time values which array a name is; it must never be wrong.
"""

import linecache
import random

import numpy as np

HELPERS = """\
import numpy as np


def search(p, s):
    if s > 1.0:
        p[0] = s * 0.1
        return p[-1] + 1.0
    for j in range(len(p)):
        if p[j] > 2.0:
            return p[j]
        p[j] = p[j] + 0.125
    return s * 0.5


def touch(p, s):
    p[1] = s
    return p * 0.5 + s


"""
RESULT = "return a, b, c, k, n, x, y, u, v.copy(), x[0] + 0"


class Writer:
    """Writes one program; `aliases` allows names bound to views and to arrays of other names."""

    def __init__(self, seed, aliases):
        self.random, self.aliases = random.Random(seed), aliases
        self.lines, self.depth, self.loops, self.counters = [], 0, 0, 0

    def pick(self, *options):
        chosen = self.random.choice(options)
        return chosen() if callable(chosen) else chosen

    def array(self):
        return self.pick("x", "y", "u")

    def index(self):
        return self.pick("0", "1", "-1", "-2", "k % 4", "(n + k) % 4", "n % 4 - 2", "i % 4" if self.loops else "2")

    def part(self):
        return self.pick("1:", ":-1", "::2", "::-1", "1:3", ":", "k % 3:")

    def number(self, depth=0):
        if depth > 2 or self.random.random() < 0.35:
            return self.pick("a", "b", "c", "1.5", "-2.0", "n", "k", lambda: f"{self.array()}[{self.index()}]", "v[-1]")
        one, two = self.number(depth + 1), self.number(depth + 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"min({one}, {two})", f"abs({one})", f"({one} * 0.5)",
            lambda: f"({one} if {self.condition()} else {two})", lambda: f"search({self.array()}, {one})",
            lambda: f"{self.array()}.sum()",
        )  # fmt: skip

    def condition(self):
        return self.pick(
            "a > 0.5", "b > c", "k % 2 == 0", "flag", "not flag", "a < b < c", "k > 1 and a > b",
            lambda: f"n > 3 or {self.array()}[{self.index()}] > 0",
            lambda: f"{self.array()}[{self.index()}] < {self.array()}[{self.index()}]",
        )  # fmt: skip

    def new_array(self):
        fresh = ("x + 1", "x * 0.5", "y - x", "x.copy()", "np.zeros(4)", "u + y", "touch(x, a)", "np.minimum(u, x)")
        return self.pick(*fresh, *(("x", "y", "u", "x[::-1]") if self.aliases else ()))

    def emit(self, indent, text):
        self.lines.append("    " * indent + text)

    def block(self, indent):
        for _ in range(self.random.randint(1, 4)):
            self.statement(indent)

    def statement(self, indent):
        kinds = [self.assignment] * 5 + [self.item] * 3 + [self.rebinding] * 2
        if self.depth < 3:
            kinds += [self.branch] * 3 + [self.loop] * 3
        kinds += [self.leave] * (2 if self.loops else 1)
        self.random.choice(kinds)(indent)

    def assignment(self, indent):
        if self.random.random() < 0.3:
            self.emit(indent, self.pick("n = n % 5 + 1", "k = k * 2 % 7", "k = k + 1", "a, b = b, a", "k = len(v)"))
        else:
            self.emit(indent, f"{self.pick('a', 'b', 'c')} {self.pick('=', '=', '+=', '-=')} {self.number()}")

    def item(self, indent):
        sign = self.pick("=", "+=", "*=")
        if self.random.random() < 0.5:
            self.emit(indent, f"{self.array()}[{self.index()}] {sign} {self.number(1)}")
        else:
            self.emit(
                indent, f"{self.pick('x', 'y', 'u', 'v')}[{self.part()}] {sign} {self.pick('0.5', 'a', 'b * 0.1')}"
            )

    def rebinding(self, indent):
        if self.random.random() < 0.6:
            self.emit(indent, f"{self.array()} = {self.new_array()}")
        elif self.aliases:
            self.emit(indent, self.pick(f"v = {self.array()}[1:]", "x, y = y, x", "y, u = u, y", "x, y, u = u, x, y"))
        else:
            self.emit(indent, self.pick("v = x[1:].copy()", "u -= x", "x[:] = y", "u[1:] = x[:-1]", "y, u = u, y"))

    def branch(self, indent):
        self.depth += 1
        self.emit(indent, f"if {self.condition()}:")
        self.block(indent + 1)
        if self.random.random() < 0.6:
            self.emit(indent, "else:")
            self.block(indent + 1)
        self.depth -= 1

    def loop(self, indent):
        self.depth, self.loops = self.depth + 1, self.loops + 1
        kind = self.random.random()
        if kind < 0.65:
            self.emit(indent, f"for i in range({self.pick('3', 'n % 4', 'k % 3', 'len(v)')}):")
        elif kind < 0.8:
            self.emit(indent, f"for i, e in enumerate({self.pick('x', 'v', 'y[:2]', '(a, b, 0.5)')}):")
            self.emit(indent + 1, "c = c + e * 0.25")
        else:
            self.counters += 1
            self.emit(indent, f"w{self.counters} = 0")
            self.emit(indent, f"while w{self.counters} < 3{self.pick('', lambda: f' and ({self.condition()})')}:")
            self.emit(indent + 1, f"w{self.counters} += 1")
            self.emit(indent + 1, f"i = w{self.counters}")
        self.block(indent + 1)
        self.depth, self.loops = self.depth - 1, self.loops - 1
        if self.random.random() < 0.15:
            self.emit(indent, "else:")
            self.block(indent + 1)

    def leave(self, indent):
        self.emit(indent, f"if {self.condition()}:")
        self.emit(indent + 1, self.pick("break", "continue", RESULT) if self.loops else RESULT)

    def program(self):
        self.lines = ["def program(x, y, a, b, n, flag):"]
        if not self.aliases:
            self.emit(1, "x, y = x.copy(), y.copy()")
        for line in ("u = x * 0.5", "v = y[1:]" if self.aliases else "v = y[1:].copy()", "c = 0.25", "k = 2"):
            self.emit(1, line)
        for _ in range(self.random.randint(3, 8)):
            self.statement(1)
        self.emit(1, RESULT)
        return HELPERS + "\n".join(self.lines) + "\n"


def random_program(seed, aliases):
    """A function and arguments for it; its source can be read as if it stood in a file."""
    text, file = Writer(seed, aliases).program(), f"<random program {seed} {aliases}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {}
    exec(compile(text, file, "exec"), scope)
    numbers = np.random.default_rng(seed)
    x, y = numbers.normal(size=(2, 4))
    args = (x, y, float(numbers.normal()), float(numbers.normal()), int(numbers.integers(6)), bool(numbers.integers(2)))
    return scope["program"], args
