"""Parsing programs; the grammar is in `text`. Recursive descent over a list of tokens."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from ..errors import IRError
from .core import (
    Apply,
    Block,
    Check,
    Custom,
    Expr,
    For,
    Function,
    Hist,
    If,
    Lambda,
    Map,
    Pos,
    Reduce,
    Scan,
    Scatter,
    Stm,
    While,
)
from .types import BOOL, F32, F64, I32, I64, Atom, DType, Lit, Type, Var

_TOKEN = re.compile(
    r"""(?P<skip>[ \t]+)
    |(?P<newline>\n)
    |(?P<number>(?:[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|[-+](?:inf|nan))(?:i32|f32)?(?![\w.]))
    |(?P<name>(?:[^\W\d]|<)[\w.<>]*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<mark>->|[(){}\[\],:=@])""",
    re.VERBOSE,
)
_DTYPES = {dtype.value: dtype for dtype in DType}


def parse_function(text: str) -> Function:
    """The program that `text` describes. Raises `IRError` with the line of a mistake."""
    parser = _Parser(text)
    function = parser.function()
    parser.skip_newlines()
    if parser.kind != "end":
        parser.fail("the end of the text")
    return function


class _Parser:
    """The tokens, a place among them, and the variables bound so far (names are unique)."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokenise(text))
        self.at = 0
        self.vars: dict[str, Var] = {}

    # -- tokens -----------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def word(self) -> str:
        return self.tokens[self.at][1]

    def fail(self, wanted: str) -> NoReturn:
        kind, word, line = self.tokens[self.at]
        found = "the end of the line" if kind == "newline" else word
        raise IRError(f"line {line} of the program: expected {wanted}, found {found}")

    def take(self, kind: str) -> str:
        if self.kind != kind:
            self.fail(f"a {kind}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expect(self, word: str) -> None:
        if self.word != word or self.kind == "string":
            self.fail(repr(word))
        self.at += 1

    def accept(self, word: str) -> bool:
        found = self.word == word and self.kind != "string"
        self.at += found
        return found

    def skip_newlines(self) -> None:
        while self.kind == "newline":
            self.at += 1

    # -- declarations -----------------------------------------------------------------------------

    def function(self) -> Function:
        self.skip_newlines()
        self.expect("def")
        name = self.take("name")
        params = self.params(implicit_sizes=True)
        donated: list[tuple[int, int]] = []
        if self.accept("donates"):
            donated.append(self.donation())
            while self.accept(","):
                donated.append(self.donation())
        return Function(name, params, self.block(), tuple(donated))

    def donation(self) -> tuple[int, int]:
        param = self.integer()
        self.expect("->")
        return param, self.integer()

    def params(self, *, implicit_sizes: bool = False) -> tuple[Var, ...]:
        self.expect("(")
        found = () if self.word == ")" else self.bind(implicit_sizes)
        self.expect(")")
        return found

    def bind(self, implicit_sizes: bool = False) -> tuple[Var, ...]:
        """`name: type, ...`; a later type may mention an earlier name."""
        found: list[Var] = []
        while True:
            name = self.take("name")
            self.expect(":")
            found.append(Var(name, self.type(implicit_sizes)))
            self.vars[name] = found[-1]
            if not self.accept(","):
                return tuple(found)

    def type(self, implicit_sizes: bool) -> Type:
        dtype = _DTYPES.get(self.word)
        if dtype is None:
            self.fail("a scalar type")
        self.at += 1
        shape: list[Atom] = []
        if self.accept("["):
            shape.append(self.size(implicit_sizes))
            while self.accept(","):
                shape.append(self.size(implicit_sizes))
            self.expect("]")
        return Type(dtype, tuple(shape))

    def size(self, implicit: bool) -> Atom:
        if implicit and self.kind == "name":
            self.vars.setdefault(self.word, Var(self.word, Type(I64)))
        return self.atom()

    # -- blocks -----------------------------------------------------------------------------------

    def block(self) -> Block:
        self.expect("{")
        self.skip_newlines()
        stms: list[Stm] = []
        while self.word != "return":
            stms.append(self.statement())
            self.skip_newlines()
        self.expect("return")
        results = self.atoms()
        self.skip_newlines()
        self.expect("}")
        return Block(tuple(stms), results)

    def lam(self) -> Lambda:
        return Lambda(self.params(), self.block())

    def statement(self) -> Stm:
        if self.word == "check" and self.tokens[self.at + 1][1] != ":":
            vars, expr = (), self.check()
        else:
            vars = () if self.word == "=" else self.bind()
            self.expect("=")
            expr = self.expression()
        pos = self.position() if self.accept("@") else None
        if self.kind != "newline":
            self.fail("the end of the statement")
        return Stm(vars, expr, pos)

    def position(self) -> Pos:
        line = self.integer()
        self.expect(":")
        col = self.integer()
        return Pos("<text>", line, col, line, col)

    # -- expressions ------------------------------------------------------------------------------

    def check(self) -> Check:
        self.expect("check")
        kind, args = self.take("name"), self.atoms()
        return Check(kind, args, json.loads(self.take("string")) if self.kind == "string" else "")

    def expression(self) -> Expr:
        match self.take("name"):
            case "if":
                cond, then = self.atom(), self.block()
                self.expect("else")
                return If(cond, then, self.block())
            case "for":
                return For(self.atom(), self.list(), self.lam())
            case "while":
                return While(self.list(), self.lam(), self.lam())
            case "map":
                return Map(self.atom(), self.lam())
            case "reduce":
                size, neutral, op = self.atom(), self.list(), self.lam()
                return Reduce(size, op, neutral, self.lam())
            case "scan":
                size, neutral, op = self.atom(), self.list(), self.lam()
                return Scan(size, op, neutral, self.lam())
            case "hist":
                keys, size, neutral, dest, op = self.integer(), self.atom(), self.list(), self.list(), self.lam()
                return Hist(size, op, neutral, dest, keys, self.lam())
            case "scatter":
                keys, size, dest = self.integer(), self.atom(), self.atom()
                return Scatter(size, dest, keys, self.lam())
            case "custom":
                args, body = self.list(), self.lam()
                rules = [self.lam() if self.word == "(" else None for _ in range(2)]
                return Custom(args, body, rules[0], rules[1])
            case op:
                attrs = self.attributes()
                return Apply(op, self.atoms(), attrs)

    def attributes(self) -> tuple[object, ...]:
        found: list[object] = []
        if self.accept("["):
            found.append(self.attribute())
            while self.accept(","):
                found.append(self.attribute())
            self.expect("]")
        return tuple(found)

    def attribute(self) -> object:
        if self.kind == "name":
            name = self.take("name")
            return _DTYPES.get(name, name)
        return self.integer()

    # -- atoms ------------------------------------------------------------------------------------

    def integer(self) -> int:
        value = _literal(self.take("number"))
        if value.dtype is not I64:
            self.fail("a plain integer before")
        return int(value.value)

    def list(self) -> tuple[Atom, ...]:
        self.expect("[")
        atoms = self.atoms()
        self.expect("]")
        return atoms

    def atoms(self) -> tuple[Atom, ...]:
        found: list[Atom] = []
        while self.kind in ("name", "number"):
            found.append(self.atom())
        return tuple(found)

    def atom(self) -> Atom:
        if self.kind == "number":
            return _literal(self.take("number"))
        if self.word in ("True", "False"):
            return Lit(self.take("name") == "True", BOOL)
        if self.word not in self.vars:
            self.fail("a variable that is bound before, or a literal")
        return self.vars[self.take("name")]


def _literal(word: str) -> Lit:
    if word.endswith("i32"):
        return Lit(int(word[:-3]), I32)
    if word.endswith("f32"):
        return Lit(float(word[:-3]), F32)
    return Lit(float(word), F64) if re.search("[.enf]", word) else Lit(int(word), I64)


def _tokenise(text: str) -> list[tuple[str, str, int]]:
    """Triples (kind, word, line), closed by one of kind `end`."""
    found: list[tuple[str, str, int]] = []
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise IRError(f"line {line} of the program: unexpected {text[at : at + 10]!r}")
        at = match.end()
        if match.lastgroup != "skip":
            found.append((str(match.lastgroup), match.group(), line))
        line += match.lastgroup == "newline"
    found.append(("end", "the end", line))
    return found
