"""The pattern of a Jacobian, found by the program itself: which inputs can each result depend on?

`dependences` turns a block into the block that propagates sets of inputs, 64 at a time, as bits of words (`words`): an
operation unites the sets of its operands, a move moves them, a reduction unites over its elements. Only what is fixed,
the same for all inputs (`influence`), is computed as before: indices, trip counts, conditions on integers, constants.
What is not fixed is never looked at, so the pattern holds for all values of the inputs:

* a condition that the inputs influence: both arms are executed, the sets of their results united;
* an index that they influence: the sets of all elements that it could mean are united;
* a trip count or loop condition that they influence: everything that leaves the loop depends on everything that enters;
* an array whose size they influence: refused.

An arm that is executed though the program might not do so may hold indices out of range: accesses in it are tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Custom, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import free_vars, inline, statements
from .activity import varied
from .influence import influenced
from .sparsity_apply import apply_fixed, apply_words
from .sparsity_combine import hist_words, reduce_words
from .speculation import is_harmless
from .words import Words, everything, everywhere, union


def dependences(b: Builder, block: Block, seeds: dict[Var, Atom]) -> tuple[Atom, ...]:
    """Emit the sets of the results of a block, given those of its inputs.

    `seeds` maps the inputs to words of their shape. Names are fresh.
    """
    for guarded in (False, True):
        copy = inline(Lambda((), block), ())
        names = {var.name for var in seeds}
        known = {var.name: word for var, word in seeds.items()}
        w = Words(known, influenced(copy, names), varied(copy, names), guarded)
        w.sizes.update(var.name for var in free_vars(copy) for var in var.type.shape if isinstance(var, Var))
        inner = b.child()
        _block(w, inner, copy)
        if not w.lost:
            b.splice(inner.block(()))
            return tuple(w.filled(b, result) for result in copy.results)
    raise AssertionError


def _block(w: Words, b: Builder, block: Block) -> None:
    for stm in block.stms:
        with b.at(stm.pos):
            _statement(w, b, stm)
        w.sizes.update(size.name for var in stm.vars for size in var.type.shape if isinstance(size, Var))


def _statement(w: Words, b: Builder, stm: Stm) -> None:
    kept = [k for k, var in enumerate(stm.vars) if w.is_fixed(var) or w.is_varied(var)]
    if isinstance(stm.expr, Check):
        _check(w, b, stm, stm.expr)
    elif not kept:
        _drop(w, b, stm)
    else:
        _form(w, b, stm, kept)


def _check(w: Words, b: Builder, stm: Stm, expr: Check) -> None:
    if w.guarded:
        return
    if w.is_fixed(*expr.args):
        b.stms.append(stm)
    else:
        # Conditions that the user wrote may also speak of indices, and later accesses may rely on them.
        w.lost |= expr.kind in ("assert", "raise")


def _drop(w: Words, b: Builder, stm: Stm) -> None:
    """Leave out a statement whose results do not matter. Later accesses may rely on checks in it."""
    inside = list(statements(Block((stm,), ())))
    if w.guarded or not any(isinstance(inner.expr, Check) for inner in inside):
        return
    if w.is_fixed(*free_vars(stm.expr), *(var for inner in inside for var in inner.vars)):
        b.stms.append(stm)
    else:
        w.lost = True


def _form(w: Words, b: Builder, stm: Stm, kept: Sequence[int]) -> None:
    match stm.expr:
        case Apply() as expr:
            var = stm.vars[0]
            if w.is_fixed(var):
                apply_fixed(w, b, stm, expr)
            else:
                w.define(b, var, apply_words(w, b, expr, var))
        case If(cond) as expr if w.is_fixed(cond):
            arms = [_arm(w, b, arm, stm.vars, kept) for arm in (expr.then, expr.orelse)]
            _emit(w, b, stm, kept, If(cond, arms[0], arms[1]))
        case If() as expr if is_harmless(w, expr.then) and is_harmless(w, expr.orelse):
            _both(w, b, stm.vars, expr)
        case For(count, init, body) if w.is_fixed(count):
            lam = _loop_body(w, b, stm.vars, body, kept, 1)
            _emit(w, b, stm, kept, For(count, _values(w, b, init, stm.vars, kept), lam))
        case While(_, cond) as expr if w.is_fixed(*cond.body.results):
            _while(w, b, stm, expr, kept)
        case Map(size, body) if w.is_fixed(size):
            _emit(w, b, stm, kept, Map(size, _body(w, b, body, stm.vars, kept)))
        case (Reduce() | Scan()) as expr if w.is_fixed(expr.size):
            reduce_words(w, b, stm, expr, _block)
        case Hist(size, _, _, _, keys, body) as expr if w.is_fixed(size, *body.body.results[:keys]):
            hist_words(w, b, stm, expr, _block)
        case Scatter(size, _, keys, body) as expr if w.is_fixed(size, *body.body.results[:keys]):
            _scatter(w, b, stm, expr)
        case Custom(_, body, None):
            _emit(w, b, stm, kept, Custom((), Lambda((), _arm(w, b, body.body, stm.vars, kept))))
        case Custom(args, body) if w.is_fixed(*args, *free_vars(body)):
            b.stms.append(stm)
        case _:
            _coarse(w, b, stm)


def _coarse(w: Words, b: Builder, stm: Stm) -> None:
    """Everything that leaves the statement depends on everything that enters it."""
    _drop(w, b, stm)
    inside = union(b, *(everything(b, w.of(var)) for var in free_vars(stm.expr)))
    for var in stm.vars:
        if w.is_varied(var):
            w.define(b, var, everywhere(b, inside, w.type(var)))


def _emit(w: Words, b: Builder, stm: Stm, kept: Sequence[int], expr: If | For | While | Map | Custom) -> None:
    """Bind what is kept of the results of a form: fixed ones as themselves, the words of the others."""
    b.stms.append(Stm(_bound(w, stm.vars, kept), expr, stm.pos))


def _bound(w: Words, vars: Sequence[Var], kept: Sequence[int]) -> tuple[Var, ...]:
    return tuple(vars[k] if w.is_fixed(vars[k]) else w.bound(vars[k]) for k in kept)


def _values(w: Words, b: Builder, atoms: Sequence[Atom], vars: Sequence[Var], kept: Sequence[int]) -> tuple[Atom, ...]:
    """For each result that is kept its value, where it is fixed, or its words."""
    return tuple(atoms[k] if w.is_fixed(vars[k]) else w.filled(b, atoms[k]) for k in kept)


def _arm(w: Words, b: Builder, block: Block, vars: Sequence[Var], kept: Sequence[int]) -> Block:
    inner = b.child()
    _block(w, inner, block)
    return inner.block(_values(w, inner, block.results, vars, kept))


def _body(w: Words, b: Builder, body: Lambda, vars: Sequence[Var], kept: Sequence[int]) -> Lambda:
    return Lambda(body.params, _arm(w, b, body.body, vars, kept))


def _loop_body(w: Words, b: Builder, vars: Sequence[Var], body: Lambda, kept: Sequence[int], counters: int) -> Lambda:
    """The body over what is kept of the carried values; `counters` parameters come before those."""
    params = (*body.params[:counters], *_bound(w, body.params[counters:], kept))
    return Lambda(params, _arm(w, b, body.body, vars, kept))


def _both(w: Words, b: Builder, vars: Sequence[Var], expr: If) -> None:
    """Execute both arms where the branch stands, and unite."""
    before, w.guarded = w.guarded, True
    for arm in (expr.then, expr.orelse):
        _block(w, b, arm)
    w.guarded = before
    for var, x, y in zip(vars, expr.then.results, expr.orelse.results, strict=True):
        if w.is_varied(var):
            w.define(b, var, union(b, w.of(x), w.of(y)))


def _while(w: Words, b: Builder, stm: Stm, expr: While, kept: Sequence[int]) -> None:
    test = b.child()
    params = _bound(w, expr.cond.params, kept)
    _block(w, test, expr.cond.body)
    cond = Lambda(params, test.block(expr.cond.body.results))
    body = _loop_body(w, b, stm.vars, expr.body, kept, 0)
    _emit(w, b, stm, kept, While(_values(w, b, expr.init, stm.vars, kept), cond, body))


def _scatter(w: Words, b: Builder, stm: Stm, expr: Scatter) -> None:
    inner = b.child()
    _block(w, inner, expr.body.body)
    *keys, value = expr.body.body.results
    moved = _values(w, inner, (value,), stm.vars, (0,))
    lam = Lambda(expr.body.params, inner.block((*keys, *moved)))
    dest = _values(w, b, (expr.dest,), stm.vars, (0,))[0]
    b.stms.append(Stm(_bound(w, stm.vars, (0,)), Scatter(expr.size, dest, expr.keys, lam), stm.pos))
