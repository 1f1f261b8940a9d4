"""Sums with common factors taken out: x a + y b + x c + ... is x (a + c) + y b + ...

Sums are read as wide as they are: terms of terms that nobody else reads belong to them, and so do those of a sum that
nobody else reads times a factor. A term is a product of factors, through all products that it is made of. The factor
that is in the most terms is taken out first, and what is left of these terms is a sum of the same kind.

    p (q a + r b) - q c = q (p a - c) + r (p b)

This makes no value larger than the terms that were added up before. Whether it is shorter is counted afterwards; then
values that have become the same are made one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Stm
from ..ir.types import F64, Atom, Lit, Var
from ..ir.walk import operands
from ..records import dataclass

MOST_FACTORS, MOST_TERMS, WIDEST = 8, 24, 4  # of a term; of a sum; of a sum that is multiplied out

Key = str | Lit
_ONE = Lit(1.0, F64)


@dataclass(frozen=True, slots=True)
class _Term:
    """sign times a product, which is one value, if it is there."""

    sign: int
    factors: tuple[Atom, ...]
    whole: Atom | None


def factored(stms: Sequence[Stm], outputs: Sequence[Var]) -> Sequence[Stm]:
    """The same values, sums with their common factors taken out; the same object where there are none."""
    reader = _Reader(stms, outputs)
    b, known = Builder(), dict[tuple[Key, ...], Atom]()
    changed = False
    for stm in stms:
        terms = [] if stm.vars[0].name in reader.inner else reader.sum_of(stm)
        if len(terms) > 2 and _common(terms) is not None:
            _Writer(b, known).root(stm, terms)
            changed = True
        else:
            b.stms.append(stm)
        sign, factors = reader.product(stm.vars[0])
        if sign == 1:
            known.setdefault(_key(factors), stm.vars[0])
    return _alive(b.stms, outputs) if changed else stms


def _alive(stms: Sequence[Stm], outputs: Sequence[Var]) -> list[Stm]:
    needed = {var.name for var in outputs}
    kept: list[Stm] = []
    for stm in reversed(stms):
        if stm.vars[0].name in needed:
            needed.update(arg.name for arg in operands(stm.expr) if isinstance(arg, Var))
            kept.append(stm)
    return kept[::-1]


class _Reader:
    """What sums and products are made of; `inner` are the sums that are part of one other sum."""

    def __init__(self, stms: Sequence[Stm], outputs: Sequence[Var]) -> None:
        self.made = {stm.vars[0].name: stm.expr for stm in stms if isinstance(stm.expr, Apply)}
        reads = Counter(arg.name for expr in self.made.values() for arg in expr.args if isinstance(arg, Var))
        self.once = {name for name, count in reads.items() if count == 1} - {var.name for var in outputs}
        self.products: dict[str, tuple[int, tuple[Atom, ...]]] = {}
        self.inner = self._inner()

    def _inner(self) -> set[Key]:
        """Sums read once, by a sum, or by a product that is read once by a sum."""
        found: set[Key] = set()
        for expr in self.made.values():
            if expr.op in ("add", "sub"):
                for arg in expr.args:
                    found.update(self._sums(arg))
        return found

    def _sums(self, atom: Atom) -> list[Key]:
        """The names of the sum that a term is, or has as its factor."""
        expr = self._own(atom)
        if expr is not None and expr.op == "mul":
            return [_name(arg) for arg in expr.args if self._is_narrow(arg)][:1]
        return [] if expr is None else [_name(atom)]

    def _own(self, atom: Atom) -> Apply | None:
        """The operation of a value that is read once."""
        return self.made.get(atom.name) if isinstance(atom, Var) and atom.name in self.once else None

    def _is_narrow(self, atom: Atom) -> bool:
        """A short sum of products: what is rounded already may be multiplied by something before it is added up."""
        expr = self._own(atom)
        if expr is None or expr.op not in ("add", "sub"):
            return False
        terms = self._terms(expr, 1)
        return len(terms) <= WIDEST and all(len(term.factors) > 1 for term in terms)

    def sum_of(self, stm: Stm) -> list[_Term]:
        expr = stm.expr
        assert isinstance(expr, Apply)
        return self._terms(expr, 1) if expr.op in ("add", "sub") else []

    def _terms(self, expr: Apply, sign: int) -> list[_Term]:
        left, right = expr.args
        return [*self._term(left, sign), *self._term(right, sign if expr.op == "add" else -sign)]

    def _term(self, atom: Atom, sign: int) -> list[_Term]:
        expr = self._own(atom)
        if expr is not None and expr.op in ("add", "sub"):
            return self._terms(expr, sign)
        if expr is not None and expr.op == "mul":
            for arg, other in (expr.args, expr.args[::-1]):
                if self._is_narrow(arg):
                    inner = self._own(arg)
                    assert inner is not None
                    return [self._times(term, other) for term in self._terms(inner, sign)]
        own, factors = self.product(atom)
        return [_Term(sign * own, factors, atom if own == 1 else None)]

    def _times(self, term: _Term, other: Atom) -> _Term:
        sign, factors = self.product(other)
        return _Term(sign * term.sign, (*term.factors, *factors), None)

    def product(self, atom: Atom) -> tuple[int, tuple[Atom, ...]]:
        """The factors of a value, and a sign."""
        if not isinstance(atom, Var) or atom.name not in self.made:
            return 1, (atom,)
        if atom.name not in self.products:
            self.products[atom.name] = self._product(atom, self.made[atom.name])
        return self.products[atom.name]

    def _product(self, atom: Atom, expr: Apply) -> tuple[int, tuple[Atom, ...]]:
        if expr.op == "neg":
            sign, factors = self.product(expr.args[0])
            return -sign, factors
        if expr.op == "mul":
            (left, x), (right, y) = map(self.product, expr.args)
            if len(x) + len(y) <= MOST_FACTORS:
                return left * right, (*x, *y)
        return 1, (atom,)


class _Writer:
    def __init__(self, b: Builder, known: dict[tuple[Key, ...], Atom]) -> None:
        self.b, self.known = b, known

    def root(self, stm: Stm, terms: Sequence[_Term]) -> None:
        """The sum under its own name: it has a group, so that a product or a sum is made last."""
        self.b.pos = stm.pos
        sign, atom = self.sum(terms)
        if sign == 1:
            self.b.stms[-1] = Stm(stm.vars, self.b.stms[-1].expr, stm.pos)
        else:
            self.b.stms.append(Stm(stm.vars, Apply("neg", (atom,)), stm.pos))

    def sum(self, terms: Sequence[_Term]) -> tuple[int, Atom]:
        """A sum by groups of terms with a common factor."""
        parts: list[tuple[int, int, Atom]] = []
        rest = list(enumerate(terms))
        while (factor := _common([term for _, term in rest])) is not None:
            inside = [(at, term) for at, term in rest if _has(term, factor)]
            rest = [(at, term) for at, term in rest if not _has(term, factor)]
            sign, atom = self.sum([_without(term, factor) for _, term in inside])
            parts.append((inside[0][0], sign, self.b.apply("mul", factor, atom)))
        parts += [(at, term.sign, self.whole(term)) for at, term in rest]
        # In the order of their first terms: what cancels may have been added up first.
        (_, sign, total), *others = sorted(parts, key=lambda part: part[0])
        for _, other, atom in others:
            total = self.b.apply("add" if other == sign else "sub", total, atom)
        return sign, total

    def whole(self, term: _Term) -> Atom:
        """A product: as it is there, or one factor after the other."""
        if term.whole is not None:
            return term.whole
        key = _key(term.factors)
        if key not in self.known:
            made = term.factors[0] if term.factors else _ONE
            for factor in term.factors[1:]:
                made = self.b.apply("mul", made, factor)
            self.known[key] = made
        return self.known[key]


def _common(terms: Sequence[_Term]) -> Atom | None:
    """The factor of the most terms; None where each is in one."""
    if len(terms) > MOST_TERMS:
        return None
    atoms = {_name(factor): factor for term in terms for factor in term.factors}
    counts = Counter(name for term in terms for name in dict.fromkeys(map(_name, term.factors)))
    name, count = max(counts.items(), key=lambda item: (item[1], isinstance(item[0], str)), default=("", 0))
    return atoms[name] if count > 1 else None


def _has(term: _Term, factor: Atom) -> bool:
    return any(_name(own) == _name(factor) for own in term.factors)


def _without(term: _Term, factor: Atom) -> _Term:
    factors = list(term.factors)
    factors.pop(next(k for k, own in enumerate(factors) if _name(own) == _name(factor)))
    return _Term(term.sign, tuple(factors), None)


def _key(factors: Sequence[Atom]) -> tuple[Key, ...]:
    return tuple(sorted(map(_name, factors), key=str))


def _name(atom: Atom) -> Key:
    return atom.name if isinstance(atom, Var) else atom
