"""Where an element of an array was read: through copies, rows, transpositions and small lists of elements.

What exchanges say of their arrays is that each part holds what stood in another one. Parts are told by the indices of
an element of theirs, as affine forms; what is no sum goes by the text of its definition, so that equal indices are
equal wherever they were computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..ir.build import is_literal
from ..ir.core import Apply, Block, Expr, Lambda, Map, Stm
from ..ir.types import I64, Atom, Lit, Var
from ..ir.walk import fresh
from ..passes.affine import ZERO, Affine, variable
from ..records import dataclass, field
from .solving import Solving

Indices: TypeAlias = "tuple[Affine, ...]"
# What the parameters of bodies around are.
Scope: TypeAlias = "Mapping[str, Affine]"


def position(number: int) -> Affine:
    """Any position in a dimension of a part, by its number."""
    return variable(f"@{number}")


def is_spread(form: Affine) -> bool:
    """Does an index depend on the position in a part?"""
    return any("@" in name for name in form.terms)


@dataclass(frozen=True, slots=True)
class Trace:
    """Follows definitions of the program, and of the bodies that it comes through."""

    s: Solving
    inside: dict[str, Stm] = field(default_factory=dict[str, Stm])

    def enter(self, block: Block) -> None:
        self.inside.update({var.name: stm for stm in block.stms for var in stm.vars})

    def _element(self, atom: Atom, scope: Scope) -> tuple[Var, Indices] | None:
        """Of which array a number is an element, as far as that can be followed; None if of none."""
        match self._definition(atom):
            case Apply("index", (Var() as array, *at)):
                return self.read(array, tuple(self.form(i, scope) for i in at), scope)
            case _:
                return None

    def read(self, array: Var, at: Indices, scope: Scope) -> tuple[Var, Indices] | None:
        """Where the element of an array at these indices was read."""
        stm = self._statement(array)
        match None if stm is None else stm.expr:
            case Apply("index", (Var() as whole, *row)):
                return self.read(whole, (*(self.form(i, scope) for i in row), *at), scope)
            case Apply("transpose", (Var() as turned,), order):
                return self.read(turned, tuple(at[order.index(k)] for k in range(len(at))), scope)
            case Apply("reshape", (Var() as flat, *_)):
                moved = _reshaped(flat, array, at)
                return (array, at) if moved is None else self.read(flat, moved, scope)
            case Apply("slice", (Var() as whole, *triples)):
                moved = self._sliced(triples, at, scope)
                return (array, at) if moved is None else self.read(whole, moved, scope)
            case Apply("stack", parts) if not at[0].terms and 0 <= at[0].const < len(parts):
                return self.part(parts[at[0].const], at[1:], scope)
            case Map(_, body) if stm is not None and len(stm.vars) == len(body.body.results):
                return self._in_body(body, stm.vars.index(array), at, scope)
            case _:
                return array, at

    def part(self, part: Atom, at: Indices, scope: Scope) -> tuple[Var, Indices] | None:
        """Where a number, or the element of an array at these indices, was read; None if it was computed."""
        if not at:
            return self._element(part, scope)
        return self.read(part, at, scope) if isinstance(part, Var) else None

    def _in_body(self, body: Lambda, number: int, at: Indices, scope: Scope) -> tuple[Var, Indices] | None:
        self.enter(body.body)
        return self.part(body.body.results[number], at[1:], {**scope, body.params[0].name: at[0]})

    def _sliced(self, triples: Sequence[Atom], at: Indices, scope: Scope) -> Indices | None:
        found = list(at)
        for k in range(len(triples) // 3):
            start, step = (self.form(triples[3 * k + n], scope) for n in (0, 2))
            if step.terms:
                return None
            found[k] = at[k].times(step.const).plus(start)
        return tuple(found)

    def form(self, atom: Atom, scope: Scope) -> Affine:
        """An integer as an affine form."""
        if isinstance(atom, Lit):
            return Affine(int(atom.value), {})
        if atom.name in scope:
            return scope[atom.name]
        match self._definition(atom):
            case Apply("add" | "sub" as op, (x, y)) if atom.type.dtype is I64:
                return self.form(x, scope).plus(self.form(y, scope), 1 if op == "add" else -1)
            case Apply("mul", (x, Lit(factor)) | (Lit(factor), x)) if atom.type.dtype is I64:
                return self.form(x, scope).times(int(factor))
            case Apply("index", (Var() as array, i)) if (item := self._item(array, self.form(i, scope))) is not None:
                return self.form(item, scope)
            case Apply("select", (Var() as cond, x, y)) if (holds := self._holds(cond, scope)) is not None:
                return self.form(x if holds else y, scope)
            case Apply(op, args, attrs) if all(not arg.type.shape for arg in args):
                return variable(f"{op}{attrs}({', '.join(self._text(arg, scope) for arg in args)})")
            case Apply("index", (Var() as array, *at)) if array.name not in self.inside:
                return variable(f"{array}[{', '.join(self._text(i, scope) for i in at)}]")
            case _:
                # What a body makes may be something else each time.
                return variable(atom.name if atom.name not in self.inside else fresh("other", atom.type).name)

    def _text(self, atom: Atom, scope: Scope) -> str:
        if isinstance(atom, Lit):
            return f"{atom}: {atom.dtype}"
        form = self.form(atom, scope)
        return " + ".join([str(form.const), *(f"{c} {name}" for name, c in sorted(form.terms.items()))])

    def _item(self, array: Var, at: Affine) -> Atom | None:
        match self._definition(array):
            case Apply("stack", parts) if not at.terms and 0 <= at.const < len(parts):
                return parts[at.const]
            case _:
                return None

    def _holds(self, cond: Var, scope: Scope) -> bool | None:
        """Whether a number is negative, where it is a literal: such an index counts from the end."""
        match self._definition(cond):
            case Apply("lt", (x, Lit(bound, dtype))) if dtype is I64 and not (form := self.form(x, scope)).terms:
                return form.const < bound
            case _:
                return None

    def _statement(self, var: Var) -> Stm | None:
        return self.inside.get(var.name) or self.s.statement(var)

    def _definition(self, atom: Atom) -> Expr | None:
        stm = self._statement(atom) if isinstance(atom, Var) else None
        return None if stm is None else stm.expr


def _reshaped(flat: Var, array: Var, at: Indices) -> Indices | None:
    """The indices of an element before dimensions of one element were added or left out; None for other changes."""
    sizes, before = array.type.shape, flat.type.shape
    long = [i for i, size in zip(at, sizes, strict=True) if not is_literal(size, 1)]
    if [size for size in sizes if not is_literal(size, 1)] != [size for size in before if not is_literal(size, 1)]:
        return None
    rest = iter(long)
    return tuple(ZERO if is_literal(size, 1) else next(rest) for size in before)
