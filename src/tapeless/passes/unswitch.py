"""Unswitch: a loop over `first + i` asks once whether that is ever negative, not at every index.

    reduce n (i) { x[k if k >= 0 else k + size] }     where k = first + i

    if (first | first + n - 1) >= 0 { reduce n (i) { x[k] } }
    else                            { the loop as it was }

A row of a sparse matrix runs from `start[r]` on, a number known only at run time, and Python lets it count from the
end. Counting up from a number that is not negative to one that is not negative either, no k in between is (nor did
the sum overflow: that would make the last one negative). Only small innermost loops are treated, since there are two
of them afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.build import Builder
from ..ir.core import Apply, Block, Expr, For, Function, Hist, If, Lambda, Reduce, Stm
from ..ir.types import I64, Atom, Lit, Var, boolean, i64
from ..ir.walk import lambdas, map_lambdas, refresh, statements, substitute_lambda
from .affine import Affine, emit_form, form_of
from .cost import statement_count
from .notes import Notes
from .uses import bound_names

STATEMENTS = 40


def run(function: Function, _notes: Notes) -> Function:
    """The function with such loops in two versions."""
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    return Function(function.name, function.params, _block(function.body, defs), function.donated)


def _block(block: Block, defs: Mapping[str, Expr]) -> Block:
    b = Builder()
    for stm in block.stms:
        if _is_candidate(stm) and (tests := _tests(stm.expr, defs)):
            _two_versions(b, stm, tests)
        else:
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, defs)))
            b.stms.append(Stm(stm.vars, inner, stm.pos))
    return b.block(block.results)


def _is_candidate(stm: Stm) -> bool:
    """A small innermost loop."""
    if not isinstance(stm.expr, For | Reduce | Hist):
        return False
    body = stm.expr.body.body
    return not any(lambdas(inner.expr) for inner in body.stms) and statement_count(body) <= STATEMENTS


def _tests(expr: Expr, defs: Mapping[str, Expr]) -> dict[Var, Affine]:
    """The comparisons `first + i < 0` in a body, with the affine form of `first`."""
    assert isinstance(expr, For | Reduce | Hist)
    counter, inside = expr.body.params[0], bound_names(expr.body.body)
    inside |= {param.name for param in expr.body.params}
    found: dict[Var, Affine] = {}
    for stm in expr.body.body.stms:
        match stm.expr:
            case Apply("lt", (Var() as index, Lit(0, dtype))) if dtype is I64:
                form = form_of(index, defs)
                first = form.without(counter.name)
                if form.coefficient(counter.name) == 1 and first.terms and not inside & first.terms.keys():
                    found[stm.vars[0]] = first
            case _:
                pass
    return found


def _two_versions(b: Builder, stm: Stm, tests: Mapping[Var, Affine]) -> None:
    expr = stm.expr
    assert isinstance(expr, For | Reduce | Hist)
    count = expr.count if isinstance(expr, For) else expr.size
    b.pos = stm.pos
    signs: Atom = i64(0)
    for key in dict.fromkeys((first.const, tuple(sorted(first.terms.items()))) for first in tests.values()):
        first = emit_form(Affine(key[0], dict(key[1])), b.apply)
        last = b.apply("add", b.apply("add", first, count), i64(-1))
        signs = b.apply("or", signs, b.apply("or", first, last))
    known: dict[Var, Atom] = {test: boolean(False) for test in tests}
    simple = map_lambdas(expr, lambda lam: substitute_lambda(lam, known))
    versions = [_version(stm, simple), _version(stm, map_lambdas(expr, refresh))]
    b.stms.append(Stm(stm.vars, If(b.apply("ge", signs, i64(0)), versions[0], versions[1]), stm.pos))


def _version(stm: Stm, expr: Expr) -> Block:
    b = Builder(stm.pos)
    return b.block(b.bind((var.type for var in stm.vars), expr))
