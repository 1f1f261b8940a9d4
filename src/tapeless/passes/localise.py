"""Localising an array that a loop touches at one place per iteration (`places`).

Every version of the array in the body is the initial array with that place changed, so the body can be written over
the place alone:

    x = a[e(i)];  ... versions of a replaced by versions of x ...;  a' = a with [e(i)] = x'

and the loop is a map from places to places. The place may be a scalar, a row or a sub-array. Of a row of which only
a few columns are touched, x has just these. When e does not depend on i, the loop may carry x instead of the array.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, Expr, Lambda, Pos, Stm
from ..ir.types import I64, Atom, Type, Var, i64, zero
from ..ir.walk import fresh, operands, rebuild, substitute
from .affine import emit_form
from .places import ACCESSES, Found, Place, literal_index
from .rewrite import name_of


def localised(body: Block, param: Var, found: Found, columns: Sequence[int], defs: dict[str, Expr]) -> Block:
    """The body over the place alone, whose old value it reads from `param`; its result is the new one.

    With `columns`, over these elements of the row.
    """
    rewriter = _Localiser(param, found, columns, defs)
    for number, stm in enumerate(body.stms):
        if number == found.first.number:
            rewriter.pos = stm.pos
            rewriter.read(param, found.place)
        rewriter.statement(stm)
    block = Block(tuple(rewriter.out), tuple(rewriter.atom(x) for x in body.results))
    # A value that was read from the array may be the size of another one.
    return substitute(block, rewriter.sizes)


def without_read(body: Block, param: Var, element: Var) -> Block:
    """A localised body in which the old value of the place is given, not read from the array."""
    number = next(n for n, stm in enumerate(body.stms) if param in operands(stm.expr))
    read = body.stms[number]
    rest = Block((*body.stms[:number], *body.stms[number + 1 :]), body.results)
    return substitute(rest, {read.vars[0]: element})


class _Localiser:
    """Replaces versions of an array by versions of one place of it."""

    def __init__(self, param: Var, found: Found, columns: Sequence[int], defs: dict[str, Expr]) -> None:
        self.param, self.found, self.columns, self.defs = param, found, columns, defs
        self.dims = found.place.dims
        whole = param.type.drop(self.dims)
        self.type = Type(whole.dtype, (i64(len(columns)),)) if columns else whole
        self.local: dict[str, Atom] = {}
        self.sizes: dict[Var, Atom] = {}
        self.out: list[Stm] = []
        self.pos: Pos | None = None

    def read(self, param: Var, place: Place) -> None:
        """The old value of the place; a column that is overwritten anyway is not read."""
        indices = [emit_form(form, self._integer) for form in place.forms]
        if not self.columns:
            self.local[param.name] = self._bind(self.type, Apply("index", (param, *indices)))
            return
        scalar = Type(param.type.dtype)
        elements: list[Atom] = [
            zero(scalar.dtype)
            if self.found.starts_with_write(column)
            else self._bind(scalar, Apply("index", (param, *indices, i64(column))))
            for column in self.columns
        ]
        self.local[param.name] = self._bind(self.type, Apply("stack", tuple(elements)))

    def _integer(self, op: str, *args: Atom) -> Var:
        return self._bind(Type(I64), Apply(op, args))

    def _bind(self, type: Type, expr: Apply) -> Var:
        var = fresh("t", type)
        self.out.append(Stm((var,), expr, self.pos))
        self.defs[var.name] = expr
        return var

    def atom(self, atom: Atom) -> Atom:
        """What stands for an atom in the new body."""
        return self.local.get(atom.name, atom) if isinstance(atom, Var) else atom

    def statement(self, stm: Stm) -> None:
        """Translate one statement."""
        self.pos = stm.pos
        expr = stm.expr
        if isinstance(expr, Apply) and expr.op in ACCESSES and name_of(expr.args[0]) in self.found.versions:
            self._access(stm, expr)
            return
        self._emit(stm, rebuild(expr, self.atom, self._lam))

    def _emit(self, stm: Stm, expr: Expr) -> None:
        vars = tuple(self._var(var) for var in stm.vars)
        self.out.append(Stm(vars, expr, stm.pos))
        for var in vars:
            self.defs[var.name] = expr

    def _access(self, stm: Stm, expr: Apply) -> None:
        indices = [self.atom(arg) for arg in expr.args[ACCESSES[expr.op] :]]
        if id(stm) in self.found.foreign:
            self._emit(stm, Apply("index", (self.param, *indices)))
            return
        (var,), base = stm.vars, self.atom(expr.args[0])
        value = [self.atom(arg) for arg in expr.args[1 : ACCESSES[expr.op]]]
        rest = [self._column(index) for index in indices[self.dims :]]
        if rest:
            self._emit(stm, Apply(expr.op, (base, *value, *rest)))
        elif expr.op == "index":
            self.local[var.name] = base
            if var.type == Type(I64):
                self.sizes[var] = base
        elif expr.op == "update":
            self.local[var.name] = value[0]
        else:
            self.local[var.name] = self._bind(self.type, Apply("add", (base, value[0])))

    def _column(self, index: Atom) -> Atom:
        position = literal_index(index)
        return i64(self.columns.index(position)) if self.columns and position is not None else index

    def _var(self, var: Var) -> Var:
        if var.name not in self.found.versions:
            return var
        new = fresh(var.name, self.type)
        self.local[var.name] = new
        return new

    def _lam(self, lam: Lambda) -> Lambda:
        outer, self.out = self.out, []
        params = tuple(self._var(param) for param in lam.params)
        for stm in lam.body.stms:
            self.statement(stm)
        block = Block(tuple(self.out), tuple(self.atom(x) for x in lam.body.results))
        self.out = outer
        return Lambda(params, block)
