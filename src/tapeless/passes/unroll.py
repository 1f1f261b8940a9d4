"""Unroll: loops and parallel operators of small literal size become straight-line code, small arrays become scalars.

A form is unrolled when its trip count is literal, everything inside it that loops can be unrolled too, and the result
has few statements; more are allowed when small arrays turn into scalars by it. Arrays carried through loops that stay,
and those returned by branches, are carried element by element (`scalarise`).
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Expr, For, Function, If, Map, Reduce, Scan, Stm
from ..ir.types import Atom, Var
from ..ir.walk import lambdas, operands, statements
from . import algebra, dce, scalarise, views
from .control import forms
from .notes import Notes
from .rewrite import Rewriter, literal
from .views import is_small

STATEMENTS = 200
# When small arrays become scalars by it.
STATEMENTS_WITH_ARRAYS = 800
# Outside every loop, a map or reduction is worth running as a loop of vectors.
OUTERMOST_TRIPS = 4
_RULES = algebra.RULES | views.RULES | scalarise.RULES


def run(function: Function, notes: Notes) -> Function:
    """The function with its small loops unrolled."""
    control = forms(should_unroll)

    def form(r: Rewriter, stm: Stm) -> bool:
        if scalarise.form(r, stm, is_unrolled):
            return True
        return control(r, stm)

    r = Rewriter(_RULES, form)
    return dce.run(r.function(function), notes)


def should_unroll(r: Rewriter, expr: Expr, trips: int) -> bool:
    """Is it worth unrolling this form?"""
    if r.depth == 0 and not isinstance(expr, For) and trips > OUTERMOST_TRIPS:
        return False
    return is_unrolled(r, expr)


def is_unrolled(r: Rewriter, expr: Expr) -> bool:
    """Can everything that loops in this form be unrolled to few enough statements?"""
    size = _unrolled_size(r, expr)
    if size is None or size > STATEMENTS_WITH_ARRAYS:
        return False
    return size <= STATEMENTS or _touches_small_arrays(expr)


def _unrolled_size(r: Rewriter, expr: Expr) -> int | None:
    """The number of statements after unrolling; None when something must stay a loop."""
    match expr:
        case For(count) | Map(count) | Reduce(count) | Scan(count):
            trips = literal(r.atom(count))
        case If():
            trips = 1
        case _:
            return None if lambdas(expr) else 1
    if trips is None:
        return None
    total = 0
    for lam in lambdas(expr):
        inner = _block_size(r, lam.body)
        if inner is None:
            return None
        total += inner
    return total * max(int(trips), 0) + 1


def _block_size(r: Rewriter, block: Block) -> int | None:
    total = 0
    for stm in block.stms:
        size = 1 if isinstance(stm.expr, Apply) else _unrolled_size(r, stm.expr)
        if size is None:
            return None
        total += size
    return total


def _touches_small_arrays(expr: Expr) -> bool:
    return any(
        _is_small_array(atom)
        for lam in lambdas(expr)
        for stm in statements(lam.body)
        for atom in (*operands(stm.expr), *stm.vars)
    )


def _is_small_array(atom: Atom) -> bool:
    return isinstance(atom, Var) and bool(atom.type.shape) and is_small(atom.type)
