"""Which scalars may differ between the lanes of a vectorised body.

Loops need to know it before their bodies are written: a carried value that starts out the same in all
lanes may differ after one round. Everything is uniform until shown otherwise; a value varies when
something it is computed from does. Arrays made inside the body are lane-private, so their elements vary.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Custom, Expr, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var


def varying(body: Lambda) -> frozenset[Var]:
    """The variables of `body` that may differ between lanes, each of which has its own index."""
    found: set[Var] = set(body.params)
    _block(body.body, found)
    return frozenset(found)


def _block(block: Block, found: set[Var]) -> list[bool]:
    for stm in block.stms:
        _statement(stm, found)
    return [_varies(atom, found) for atom in block.results]


def _varies(atom: Atom, found: set[Var]) -> bool:
    return isinstance(atom, Var) and atom in found


def _statement(stm: Stm, found: set[Var]) -> None:
    expr = stm.expr
    if isinstance(expr, Check):
        return
    flags = _results(expr, found)
    for var, flag in zip(stm.vars, flags, strict=True):
        if flag or (var.type.shape and not _is_view(expr)):
            found.add(var)


def _is_view(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.op in ("index", "slice", "transpose", "reshape")


def _results(expr: Expr, found: set[Var]) -> list[bool]:
    def any_varies(*atoms: Atom) -> bool:
        return any(_varies(atom, found) for atom in atoms)

    match expr:
        case Apply(_, args):
            return [any_varies(*args)]
        case If(cond, then, orelse):
            here = any_varies(cond)
            return [here or a or b for a, b in zip(_block(then, found), _block(orelse, found), strict=True)]
        case For(count, init, body):
            return _carried(init, body, any_varies(count), found, skip=1)
        case While(init, cond, body):
            return _while(init, cond, body, found)
        case Map(size, body):
            _block(body.body, found)
            return [True] * len(body.body.results)
        case Reduce(size, op, neutral, body):
            values = _block(body.body, found)
            found.update(v for v, flag in zip(op.params[len(neutral) :], values, strict=True) if flag)
            return _carried(neutral, Lambda(op.params[: len(neutral)], op.body), any_varies(size), found, skip=0)
        case Scan(size, op, neutral, body):
            values = _block(body.body, found)
            found.update(v for v, flag in zip(op.params[len(neutral) :], values, strict=True) if flag)
            _carried(neutral, Lambda(op.params[: len(neutral)], op.body), any_varies(size), found, skip=0)
            return [True] * len(neutral)
        case Hist(op=op, dest=dest, body=body):
            _block(body.body, found)
            found.update(op.params)
            _block(op.body, found)
            return [True] * len(dest)
        case Scatter(body=body):
            _block(body.body, found)
            return [True]
        case Check():
            return []
        case Custom():
            raise AssertionError("rules are forgotten before code is made")


def _carried(init: tuple[Atom, ...], body: Lambda, divergent: bool, found: set[Var], skip: int) -> list[bool]:
    """Carried values: what varies at the start or after a round varies always."""
    params = body.params[skip:]
    flags = [divergent or _varies(atom, found) or bool(atom.type.shape) for atom in init]
    while True:
        found.update(param for param, flag in zip(params, flags, strict=True) if flag)
        after = [flag or result for flag, result in zip(flags, _block(body.body, found), strict=True)]
        if after == flags:
            return flags
        flags = after


def _while(init: tuple[Atom, ...], cond: Lambda, body: Lambda, found: set[Var]) -> list[bool]:
    flags = [_varies(atom, found) or bool(atom.type.shape) for atom in init]
    while True:
        for params in (cond.params, body.params):
            found.update(param for param, flag in zip(params, flags, strict=True) if flag)
        divergent = _block(cond.body, found)[0]
        results = _block(body.body, found)
        after = [flag or divergent or result for flag, result in zip(flags, results, strict=True)]
        if after == flags:
            return flags
        flags = after
