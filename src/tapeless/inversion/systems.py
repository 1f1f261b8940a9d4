"""Equations that tell nothing one by one, but together: `a = x + y` and `b = x - y`.

Where no statement tells anything more, known sums and products of unknown values are taken as equations. When a few of
them are affine in as many unknown values, with known coefficients, these are the solution of a linear system,

    sum_j m_ij x_j = y_i - r_i,        x_j = sum_i cofactor_ij (y_i - r_i) / det m

if the determinant is never zero, which must be provable: a rotation, a butterfly, a product with an exponential (where
that underflows to zero, what comes back is NaN). Integers need a determinant of 1 or -1, and come back bit by bit.
Systems of literals that would lose more than three decimal digits to rounding are not solved. Where nothing else helps,
and an inverse may check, those of other floats are solved if they lose no more than that when the inverse runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice

from ..ir.core import Apply
from ..ir.types import Atom, DType, Lit, Type, Var
from ..ir.walk import operands
from ..records import dataclass
from .polynomial import (
    LITERAL,
    ONE,
    ZERO,
    Polynomial,
    TooLarge,
    expanded,
    is_finite,
    is_never_zero,
    literal,
    literal_value,
    number,
    variable,
)
from .solving import Solving

MOST_UNKNOWNS = 4
MOST_SETS, MOST_TRIES = 100, 10  # of unknown values, and of equations about one of them
SINGULAR = "values that were changed together must follow from what they became"
WORST = 1000  # how much a system of literals may amplify rounding


@dataclass(frozen=True, slots=True)
class Equation:
    """`result = sum(factors[x] * x) + rest`, with x unknown and the rest known."""

    result: Var
    factors: dict[Var, Polynomial]
    rest: Polynomial


def solve_systems(s: Solving) -> bool:
    """Learn the unknown values of one system whose determinant is never zero; was there one?"""
    return _solve(s, list(equations(s)), checked=False) or _solve(s, list(equations(s, shared(s))), checked=False)


def solve_checked_systems(s: Solving) -> bool:
    """Learn the unknown values of one system whose determinant is checked when the inverse runs."""
    return s.checks and _solve(s, list(equations(s)), checked=True)


def shared(s: Solving) -> frozenset[Var]:
    """Unknown numbers of which several others are made: they may be fewer than what they are made of themselves."""
    used: dict[Var, int] = {}
    for stm in s.block.stms:
        for atom in operands(stm.expr):
            if isinstance(atom, Var) and atom.name in s.made and not atom.type.shape:
                used[atom] = used.get(atom, 0) + 1
    return frozenset(var for var, times in used.items() if times > 1 and not s.is_known(var))


def _solve(s: Solving, known: Sequence[Equation], *, checked: bool) -> bool:
    for some, unknowns in _squares(known):
        try:
            values = _solution(s, some, unknowns, checked=checked)
        except TooLarge:
            continue
        if values is not None:
            before = s.told
            for x, value in zip(unknowns, values, strict=True):
                s.learn(x, value)
            if s.told > before:
                return True
    return False


# -- equations --------------------------------------------------------------------------------


def equations(s: Solving, stops: Collection[Var] = ()) -> Iterator[Equation]:
    """What is known of sums of unknown values; what they are made of is not looked into at `stops`."""
    forms = {var: Equation(var, {var: ONE}, ZERO) for var in stops}
    for stm in s.block.stms:
        match stm.expr:
            case Apply("add" | "sub" | "neg" | "mul" | "div", _) if not (var := stm.vars[0]).type.shape:
                if not s.is_known(var):
                    continue
                try:
                    equation = _defined(s, var, stm.expr, forms)
                except TooLarge:
                    continue
                if equation is not None and 0 < len(equation.factors) <= MOST_UNKNOWNS:
                    yield equation
            case _:
                pass


def _defined(s: Solving, var: Var, expr: Apply, forms: dict[Var, Equation]) -> Equation | None:
    """The definition of a variable as an affine form; None if it is none. `forms` are those found before."""
    match expr.op, [_form(s, x, forms) for x in expr.args]:
        case ("add" | "sub") as op, [x, y]:
            sign = 1 if op == "add" else -1
            unknowns = dict.fromkeys((*x.factors, *y.factors))
            factors = {u: x.factors.get(u, ZERO).plus(y.factors.get(u, ZERO), sign) for u in unknowns}
            return Equation(var, {u: f for u, f in factors.items() if f.terms}, x.rest.plus(y.rest, sign))
        case "neg", [x]:
            return _scaled(var, x, number(-1))
        case "mul", [x, y] if not (x.factors and y.factors):
            return _scaled(var, x, y.rest) if x.factors else _scaled(var, y, x.rest)
        case "div", [x, _] if isinstance(below := expr.args[1], Lit) and is_finite(below) and below.value:
            return _scaled(var, x, literal(float(below.value), below=True)) if var.type.dtype.is_float else None
        case _:
            return None


def _scaled(var: Var, x: Equation, factor: Polynomial) -> Equation:
    factors = {u: f.times(factor) for u, f in x.factors.items()}
    return Equation(var, {u: f for u, f in factors.items() if f.terms}, x.rest.times(factor))


def _form(s: Solving, atom: Atom, forms: dict[Var, Equation]) -> Equation:
    """An atom as an affine form of unknown values, possibly of itself."""
    if isinstance(atom, Lit):
        if not is_finite(atom):
            raise TooLarge
        value = literal(float(atom.value)) if atom.type.dtype.is_float else number(int(atom.value))
        return Equation(Var("literal", atom.type), {}, value)
    if s.try_value(atom) is not None:
        return Equation(atom, {}, variable(atom.name))
    if atom not in forms:
        stm = s.made.get(atom.name)
        found = _defined(s, atom, stm.expr, forms) if stm is not None and isinstance(stm.expr, Apply) else None
        forms[atom] = found if found is not None else Equation(atom, {atom: ONE}, ZERO)
    return forms[atom]


# -- systems ----------------------------------------------------------------------------------


def _squares(equations: Sequence[Equation]) -> Iterator[tuple[Sequence[Equation], Sequence[Var]]]:
    """As many equations as unknown values, the smallest sets first."""
    for unknowns in sorted(_connected(equations), key=len):
        about = [equation for equation in equations if unknowns.issuperset(equation.factors)]
        order = list(dict.fromkeys(u for equation in about for u in equation.factors))
        for some in islice(combinations(about, len(unknowns)), MOST_TRIES):
            yield some, order


def _connected(equations: Sequence[Equation]) -> list[frozenset[Var]]:
    """Sets of unknown values that equations have in common, one by one."""
    found = list(dict.fromkeys(frozenset(equation.factors) for equation in equations))
    for unknowns in found:
        for equation in equations:
            more = unknowns.union(equation.factors)
            if len(more) <= MOST_UNKNOWNS and more not in found and not unknowns.isdisjoint(equation.factors):
                found.append(more)
        if len(found) > MOST_SETS:
            break
    return found


def _solution(s: Solving, some: Sequence[Equation], unknowns: Sequence[Var], *, checked: bool) -> list[Atom] | None:
    """Emit the solution of a system; None if its determinant may be zero, unless that is checked."""
    matrix = [[equation.factors.get(u, ZERO) for u in unknowns] for equation in some]
    determinant, defs = _determinant(matrix), s.definitions()
    value = expanded(determinant, defs)
    dtype = unknowns[0].type.dtype
    if any(u.type.dtype is not dtype for u in unknowns):
        return None
    if not dtype.is_float and value.constant not in (1, -1):
        return None
    emit = Emit(s, dtype)
    if checked and value.constant is None and dtype.is_float:
        emit.check_harmless(matrix, determinant)
    elif not is_never_zero(value, defs) or not _is_harmless([[expanded(x, defs) for x in row] for row in matrix]):
        return None
    sides = [emit.difference(s.value(equation.result), equation.rest) for equation in some]
    below = value if value.constant in (1, -1) else determinant
    return [
        emit.quotient([(_cofactor(matrix, i, j), side) for i, side in enumerate(sides)], below)
        for j in range(len(unknowns))
    ]


def _determinant(matrix: Sequence[Sequence[Polynomial]]) -> Polynomial:
    if not matrix:
        return ONE
    total = ZERO
    for j, entry in enumerate(matrix[0]):
        total = total.plus(entry.times(_cofactor(matrix, 0, j)))
    return total


def _cofactor(matrix: Sequence[Sequence[Polynomial]], i: int, j: int) -> Polynomial:
    minor = [[*row[:j], *row[j + 1 :]] for k, row in enumerate(matrix) if k != i]
    return _determinant(minor).times(number((-1) ** (i + j)))


def _is_harmless(matrix: Sequence[Sequence[Polynomial]]) -> bool:
    """Does a system of literals amplify rounding but little? Others are as harmless as the shears they are made of."""
    size, determinant = range(len(matrix)), _determinant(matrix).constant
    entries = [entry.constant for row in matrix for entry in row]
    if determinant is None or None in entries:
        return True
    cofactors = [_cofactor(matrix, i, j).constant for i in size for j in size]
    largest = [max(abs(x) for x in numbers if x is not None) for numbers in (entries, cofactors)]
    return largest[0] * largest[1] <= WORST * abs(determinant)


@dataclass(frozen=True, slots=True)
class Emit:
    """Emits polynomials of known variables."""

    s: Solving
    dtype: DType

    def check_harmless(self, matrix: Sequence[Sequence[Polynomial]], determinant: Polynomial) -> None:
        """Check that a system amplifies rounding but little."""
        b, size = self.s.b, range(len(matrix))
        entries = self._magnitude(entry for row in matrix for entry in row)
        cofactors = self._magnitude(_cofactor(matrix, i, j) for i in size for j in size)
        least = b.apply("mul", entries, cofactors)
        most = b.apply("mul", self._magnitude([determinant]), Lit(float(WORST), self.dtype))
        b.check("assert", b.apply("lt", least, most), info=SINGULAR)

    def _magnitude(self, polynomials: Iterable[Polynomial]) -> Atom:
        """The sum of magnitudes."""
        total: Atom = Lit(0.0, self.dtype)
        for polynomial in polynomials:
            if polynomial.terms:
                total = self.s.b.apply("add", total, self.s.b.apply("abs", self.sum([(polynomial, None)])))
        return total

    def difference(self, x: Atom, rest: Polynomial) -> Atom:
        return self.s.b.apply("sub", x, self.sum([(rest, None)])) if rest.terms else x

    def quotient(self, terms: Sequence[tuple[Polynomial, Atom]], below: Polynomial) -> Atom:
        """The sum of products, divided by a polynomial."""
        if below.constant == -1:
            terms = [(factor.times(number(-1)), x) for factor, x in terms]
        above = self.sum(terms)
        if below.constant in (1, -1):
            return above
        return self.s.b.apply("div", above, self.sum([(below, None)]))

    def sum(self, terms: Sequence[tuple[Polynomial, Atom | None]]) -> Atom:
        b, total = self.s.b, None
        for polynomial, x in terms:
            for monomial, coefficient in polynomial.terms.items():
                product = self._product(monomial, abs(coefficient), x)
                if total is None:
                    total = product if coefficient > 0 else b.apply("neg", product)
                else:
                    total = b.apply("add" if coefficient > 0 else "sub", total, product)
        return self._literal(Fraction(0)) if total is None else total

    def _product(self, monomial: Sequence[str], coefficient: Fraction, x: Atom | None) -> Atom:
        factors = [self._factor(name) for name in monomial]
        factors += [] if x is None else [x]
        if coefficient != 1 or not factors:
            factors.append(self._literal(coefficient))
        product = factors[0]
        for factor in factors[1:]:
            product = self.s.b.apply("mul", product, factor)
        return product

    def _factor(self, name: str) -> Atom:
        value = literal_value(name)
        if value is None:
            return self.s.value(Var(name, Type(self.dtype)))
        return (
            Lit(value, self.dtype)
            if name[0] == LITERAL
            else self.s.b.apply("div", Lit(1.0, self.dtype), Lit(value, self.dtype))
        )

    def _literal(self, value: Fraction) -> Lit:
        if self.dtype.is_float:
            return Lit(float(value), self.dtype)
        half = 2 ** (8 * self.dtype.itemsize - 1)
        return Lit((int(value) + half) % (2 * half) - half, self.dtype)
