"""Integer expressions as affine forms `const + sum(coefficient * variable)`, over i64 variables by name.

`form_of` expands sums, differences and products by literals through their definitions. As i64 arithmetic is a ring
modulo 2^64, equal forms mean equal values whatever overflows; conclusions about *order* need variables whose size
is known to be harmless (`facts`), which is what `stop` is for: a name it accepts is not looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir.core import Apply, Expr
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..records import dataclass


@dataclass(frozen=True, slots=True)
class Affine:
    """`const + sum(terms[v] * v)`; no coefficient is zero."""

    const: int
    terms: Mapping[str, int]

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """self + factor * other."""
        terms = dict(self.terms)
        for name, coefficient in other.terms.items():
            total = terms.get(name, 0) + factor * coefficient
            if total:
                terms[name] = total
            else:
                terms.pop(name, None)
        return Affine(self.const + factor * other.const, terms)

    def times(self, factor: int) -> Affine:
        if factor == 0:
            return ZERO
        return Affine(self.const * factor, {name: c * factor for name, c in self.terms.items()})

    def shifted(self, amount: int) -> Affine:
        return Affine(self.const + amount, self.terms)

    def without(self, name: str) -> Affine:
        """The form with one variable set to zero."""
        return Affine(self.const, {n: c for n, c in self.terms.items() if n != name})

    def coefficient(self, name: str) -> int:
        return self.terms.get(name, 0)


ZERO = Affine(0, {})


def variable(name: str) -> Affine:
    return Affine(0, {name: 1})


def form_of(atom: Atom, defs: Mapping[str, Expr], stop: Callable[[str], bool] | None = None) -> Affine:
    """The affine form of an i64 atom."""
    if isinstance(atom, Lit):
        return Affine(int(atom.value), {})
    expr = defs.get(atom.name)
    if not isinstance(expr, Apply) or atom.type.dtype is not I64 or (stop is not None and stop(atom.name)):
        return variable(atom.name)
    match expr.op, expr.args:
        case "add", (x, y):
            return form_of(x, defs, stop).plus(form_of(y, defs, stop))
        case "sub", (x, y):
            return form_of(x, defs, stop).plus(form_of(y, defs, stop), -1)
        case "neg", (x,):
            return form_of(x, defs, stop).times(-1)
        case "mul", (x, Lit() as y):
            return form_of(x, defs, stop).times(int(y.value))
        case "mul", (Lit() as x, y):
            return form_of(y, defs, stop).times(int(x.value))
        case _:
            return variable(atom.name)


Emit = Callable[..., Atom]


def emit_form(form: Affine, emit: Emit) -> Atom:
    """Code for an affine form over variables in scope: `emit(op, *args)` makes the operations."""
    total: Atom | None = None
    for name, coefficient in form.terms.items():
        term: Atom = Var(name, Type(I64))
        if abs(coefficient) != 1:
            term = emit("mul", term, i64(abs(coefficient)))
        if total is None:
            total = term if coefficient > 0 else emit("neg", term)
        else:
            total = emit("add" if coefficient > 0 else "sub", total, term)
    if total is None:
        return i64(form.const)
    return emit("add", total, i64(form.const)) if form.const else total
