"""Polynomials in variables of a program with exact coefficients, and whether one is never zero.

What proves it, with the definitions of the variables put in: a constant; squares added to a constant of their sign;
powers of exponentials; and `sin(t)^2 + cos(t)^2 = 1`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from ..ir.core import Apply, Expr
from ..ir.types import Atom, Lit
from ..records import dataclass

MOST_TERMS, DEEPEST = 32, 8
LITERAL, DIVISOR = "=/"  # how names begin that are no variables
Monomial: TypeAlias = tuple[str, ...]  # names in order, as often as they are factors


class TooLarge(Exception):
    """A polynomial has too many terms to reason about."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of monomials; no coefficient is zero."""

    terms: Mapping[Monomial, Fraction]

    def plus(self, other: Polynomial, factor: int = 1) -> Polynomial:
        """self + factor * other."""
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + factor * coefficient
        return _made(terms)

    def times(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, Fraction] = {}
        for one, x in self.terms.items():
            for two, y in other.terms.items():
                monomial = tuple(sorted((*one, *two)))
                terms[monomial] = terms.get(monomial, Fraction(0)) + x * y
        return _made(terms)

    @property
    def constant(self) -> Fraction | None:
        """Its value, if that does not depend on variables."""
        return self.terms.get((), Fraction(0)) if not any(self.terms) else None


def _made(terms: Mapping[Monomial, Fraction]) -> Polynomial:
    if len(terms) > MOST_TERMS:
        raise TooLarge
    return Polynomial({monomial: c for monomial, c in terms.items() if c})


def number(value: float | Fraction) -> Polynomial:
    return _made({(): Fraction(value)})


def variable(name: str) -> Polynomial:
    return Polynomial({(name,): Fraction(1)})


def literal(value: float, *, below: bool = False) -> Polynomial:
    """A literal of a program, or what it divides by it: a name of its own unless it is a small integer.

    So no two literals become one that would have to be rounded.
    """
    if value == int(value) and abs(value) <= MOST_TERMS and (abs(value) == 1 or not below):
        return number(value)
    return variable(f"{DIVISOR if below else LITERAL}{value!r}")


def literal_value(name: str) -> float | None:
    """The literal that a name stands for; None if it is a variable."""
    return float(name[1:]) if name[0] in (LITERAL, DIVISOR) else None


ZERO, ONE = number(0), number(1)


def expanded(polynomial: Polynomial, defs: Mapping[str, Expr], depth: int = DEEPEST) -> Polynomial:
    """The polynomial with sums, products and constants put in for the variables, and squares of sines for cosines."""
    total = ZERO
    for monomial, coefficient in polynomial.terms.items():
        product = number(coefficient)
        for name in monomial:
            product = product.times(_meaning(name, defs, depth))
        total = total.plus(product)
    return _without_sines(total, defs)


def _meaning(name: str, defs: Mapping[str, Expr], depth: int) -> Polynomial:
    value = literal_value(name)
    if value is not None:
        return number(Fraction(value) if name[0] == LITERAL else 1 / Fraction(value))

    def of(atom: Atom) -> Polynomial:
        if isinstance(atom, Lit):
            return number(atom.value)
        return _meaning(atom.name, defs, depth - 1)

    match defs.get(name):
        case Apply("add" | "sub" as op, (x, y)) if depth and _are_plain(x, y):
            return of(x).plus(of(y), 1 if op == "add" else -1)
        case Apply("mul", (x, y)) if depth and _are_plain(x, y):
            return of(x).times(of(y))
        case Apply("neg", (x,)) if depth and _are_plain(x):
            return of(x).times(number(-1))
        case _:
            return variable(name)


def _are_plain(*atoms: Atom) -> bool:
    """Are these numbers, finite if they are literals?"""
    return all(not atom.type.shape and (not isinstance(atom, Lit) or is_finite(atom)) for atom in atoms)


def is_finite(literal: Lit) -> bool:
    return abs(float(literal.value)) < float("inf")


def _without_sines(polynomial: Polynomial, defs: Mapping[str, Expr]) -> Polynomial:
    """The polynomial with `1 - cos(t)^2` for each `sin(t)^2` whose cosine occurs as well."""
    names = {name for monomial in polynomial.terms for name in monomial}
    cosines = {expr.args: name for name in names if isinstance(expr := defs.get(name), Apply) and expr.op == "cos"}
    for name in names:
        expr = defs.get(name)
        if not isinstance(expr, Apply) or expr.op != "sin" or expr.args not in cosines:
            continue
        cosine = variable(cosines[expr.args])
        square = ONE.plus(cosine.times(cosine), -1)
        while any(monomial.count(name) > 1 for monomial in polynomial.terms):
            total = ZERO
            for monomial, coefficient in polynomial.terms.items():
                twice = monomial.count(name) > 1
                first = monomial.index(name) if twice else 0
                rest = Polynomial({monomial[:first] + monomial[first + 2 :] if twice else monomial: coefficient})
                total = total.plus(rest.times(square) if twice else rest)
            polynomial = total
    return polynomial


def is_never_zero(polynomial: Polynomial, defs: Mapping[str, Expr]) -> bool:
    """Is an expanded polynomial different from zero, whatever its variables are? Only if that can be seen."""
    sign = 0
    for monomial, coefficient in polynomial.terms.items():
        powers = Counter(monomial)
        positive = all(power % 2 == 0 or _is_exponential(name, defs) for name, power in powers.items())
        if not positive or (sign and (coefficient > 0) != (sign > 0)):
            return False
        sign = 1 if coefficient > 0 else -1
    return any(all(_is_exponential(name, defs) for name in monomial) for monomial in polynomial.terms)


def _is_exponential(name: str, defs: Mapping[str, Expr]) -> bool:
    match defs.get(name):
        case Apply("exp" | "exp2" | "cosh"):
            return True
        case _:
            return False
