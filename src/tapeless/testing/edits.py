"""Simpler programs next to a program: the moves that the shrinker tries.

`edits(function)` yields candidates, large steps first. They need not be well-typed: the shrinker checks them.
Statements are numbered in order, outer before inner; a move replaces one statement by others and substitutes
its variables, which is sound everywhere because names are unique.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..ir.core import Apply, Block, Check, For, Function, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import BOOL, Atom, Lit, Type, Var, i64
from ..ir.walk import Subst, free_vars, lambdas, map_lambdas, operands, rebuild, statements, subst_atom, substitute
from ..records import replace


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands in the place of a statement."""

    stms: tuple[Stm, ...] = ()
    subst: tuple[tuple[Var, Atom], ...] = ()


Move = Callable[[Stm], Sequence[Edit]]


def edits(function: Function) -> Iterator[Function]:
    """Candidates, in the order in which they pay off."""
    yield from _fewer_results(function)
    yield from _dropped_runs(function)
    for move in (_collapse, _narrow, _forward, _shorten, _without_operands):
        yield from _single_moves(function, move)


def without_dead(function: Function) -> Function:
    """Unused statements removed, but for checks and what contains them."""
    used: set[Var] = set(free_vars(*function.body.results))
    for stm in statements(function.body):
        used.update(free_vars(stm.expr))
        used.update(size for var in stm.vars for size in var.type.shape if isinstance(size, Var))
        used.update(var for lam in lambdas(stm.expr) for var in free_vars(*lam.body.results))

    def block(old: Block) -> Block:
        kept = [stm for stm in old.stms if _checks(stm) or any(var in used for var in stm.vars)]
        return Block(tuple(_within(stm, block) for stm in kept), old.results)

    smaller = replace(function, body=block(function.body))
    return smaller if count(smaller) == count(function) else without_dead(smaller)


def count(function: Function) -> int:
    """How many statements, inner ones included."""
    return sum(1 for _ in statements(function.body))


def _checks(stm: Stm) -> bool:
    return any(isinstance(inner.expr, Check) for inner in statements(Block((stm,), ())))


def _within(stm: Stm, change: Callable[[Block], Block]) -> Stm:
    """The statement with its sub-blocks changed."""
    return replace(stm, expr=map_lambdas(stm.expr, lambda lam: Lambda(lam.params, change(lam.body))))


def rewrite(function: Function, chosen: Callable[[int, Stm], Edit | None]) -> Function:
    """Replace the statements for which `chosen`, given their number, answers with an edit."""
    number = -1
    subst: dict[Var, Atom] = {}

    def block(old: Block) -> Block:
        nonlocal number
        new: list[Stm] = []
        for stm in old.stms:
            number += 1
            edit = chosen(number, stm)
            if edit is None:
                new.append(_within(stm, block))
                continue
            number += sum(1 for lam in lambdas(stm.expr) for _ in statements(lam.body))
            new.extend(edit.stms)
            subst.update(edit.subst)
        return Block(tuple(new), old.results)

    body = block(function.body)
    return replace(function, body=_substituted(body, subst))


def _substituted(body: Block, subst: Subst) -> Block:
    """Substitution to the end: a replacement may itself be replaced."""

    def final(atom: Atom) -> Atom:
        return final(subst[atom]) if isinstance(atom, Var) and atom in subst else atom

    resolved = {var: final(atom) for var, atom in subst.items()}
    return substitute(body, {var: subst_atom(atom, resolved) for var, atom in resolved.items()})


# -- whole programs ---------------------------------------------------------------------------------


def _fewer_results(function: Function) -> Iterator[Function]:
    results = function.body.results
    if function.donated:
        yield replace(function, donated=())
    if len(results) > 1 and not function.donated:
        for result in results:
            yield replace(function, body=Block(function.body.stms, (result,)))


def _dropped_runs(function: Function) -> Iterator[Function]:
    """Without whole runs of statements: halves, quarters, down to single ones."""
    total = count(function)
    length = max(1, total // 2)
    while length >= 1:
        for start in range(0, total, length):
            run = range(start, start + length)
            yield rewrite(function, lambda k, stm, run=run: _dropped(stm) if k in run else None)
        length //= 2


def _dropped(stm: Stm) -> Edit:
    """Literals for scalars, constant arrays for arrays."""
    stms: list[Stm] = []
    subst: list[tuple[Var, Atom]] = []
    for var in stm.vars:
        if not var.type.is_array:
            subst.append((var, plain(var.type)))
        else:
            stms.append(Stm((var,), Apply("replicate", (plain(Type(var.type.dtype)), *var.type.shape)), stm.pos))
    return Edit(tuple(stms), tuple(subst))


def plain(type: Type) -> Lit:
    """The literal that stands for a dropped scalar. False, so that while loops end."""
    if type.dtype.is_float:
        return Lit(0.5, type.dtype)
    return Lit(False if type.dtype is BOOL else 1, type.dtype)


# -- single statements ------------------------------------------------------------------------------


def _single_moves(function: Function, move: Move) -> Iterator[Function]:
    for number, stm in enumerate(statements(function.body)):
        for edit in move(stm):
            yield rewrite(function, lambda k, _, number=number, edit=edit: edit if k == number else None)


def _collapse(stm: Stm) -> Sequence[Edit]:
    """A structured form becomes one of its blocks, or what it starts from."""
    match stm.expr:
        case If(_, then, orelse):
            return [Edit(arm.stms, _pairs(stm.vars, arm.results)) for arm in (then, orelse)]
        case For(_, init, body):
            return [Edit((), _pairs(stm.vars, init)), _once(stm, body, (i64(0), *init))]
        case While(init, _, body):
            return [Edit((), _pairs(stm.vars, init)), _once(stm, body, init)]
        case Reduce(_, _, neutral, body):
            return [Edit((), _pairs(stm.vars, neutral)), _once(stm, body, (i64(0),))]
        case Map(size, body) | Scan(size, _, _, body):
            return [_replicated(stm, size, body)]
        case Hist(dest=dest):
            return [Edit((), _pairs(stm.vars, dest))]
        case Scatter(dest=dest):
            return [Edit((), _pairs(stm.vars, (dest,)))]
        case _:
            return []


def _pairs(vars: Sequence[Var], atoms: Sequence[Atom]) -> tuple[tuple[Var, Atom], ...]:
    return tuple(zip(vars, atoms, strict=True))


def _once(stm: Stm, body: Lambda, args: Sequence[Atom]) -> Edit:
    """The body a single time."""
    return Edit(body.body.stms, (*_pairs(body.params, args), *_pairs(stm.vars, body.body.results)))


def _replicated(stm: Stm, size: Atom, body: Lambda) -> Edit:
    """The first element everywhere."""
    copies = [
        Stm((var,), Apply("replicate", (result, size)), stm.pos)
        for var, result in zip(stm.vars, body.body.results, strict=True)
    ]
    return Edit((*body.body.stms, *copies), _pairs(body.params, (i64(0),)))


def _narrow(stm: Stm) -> Sequence[Edit]:
    """One carried value, or one result, less."""
    if len(stm.vars) < 2:
        return []
    return [edit for k in range(len(stm.vars)) if (edit := _without(stm, k)) is not None]


def _without(stm: Stm, k: int) -> Edit | None:
    def cut(items: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return items[:k] + items[k + 1 :]

    def cut_block(block: Block) -> Block:
        return Block(block.stms, cut(block.results))

    vars = stm.vars[:k] + stm.vars[k + 1 :]
    lost = _dropped(Stm((stm.vars[k],), stm.expr, stm.pos))
    match stm.expr:
        case If(cond, then, orelse):
            smaller = Stm(vars, If(cond, cut_block(then), cut_block(orelse)), stm.pos)
            return Edit((smaller, *lost.stms), lost.subst)
        case Map(size, body):
            smaller = Stm(vars, Map(size, Lambda(body.params, cut_block(body.body))), stm.pos)
            return Edit((smaller, *lost.stms), lost.subst)
        case For(trips, init, body):
            params = body.params[: k + 1] + body.params[k + 2 :]
            smaller = Stm(vars, For(trips, cut(init), Lambda(params, cut_block(body.body))), stm.pos)
            return Edit((smaller,), ((stm.vars[k], init[k]), (body.params[k + 1], init[k])))
        case While(init, cond, body):
            params = [lam.params[:k] + lam.params[k + 1 :] for lam in (cond, body)]
            loop = While(cut(init), Lambda(params[0], cond.body), Lambda(params[1], cut_block(body.body)))
            fixed = ((stm.vars[k], init[k]), (cond.params[k], init[k]), (body.params[k], init[k]))
            return Edit((Stm(vars, loop, stm.pos),), fixed)
        case _:
            return None


def _forward(stm: Stm) -> Sequence[Edit]:
    """An operation becomes one of its operands."""
    if not isinstance(stm.expr, Apply):
        return []
    return [Edit((), ((stm.vars[0], arg),)) for arg in stm.expr.args if arg.type == stm.vars[0].type]


def _shorten(stm: Stm) -> Sequence[Edit]:
    """Fewer iterations."""
    match stm.expr:
        case For(trips) | Reduce(size=trips) | Hist(size=trips) | Scatter(size=trips):
            shorter = [i64(n) for n in (1, 2) if trips not in (i64(1), i64(n))]
            field = "count" if isinstance(stm.expr, For) else "size"
            return [Edit((replace(stm, expr=replace(stm.expr, **{field: n})),)) for n in shorter]
        case _:
            return []


def _without_operands(stm: Stm) -> Sequence[Edit]:
    """A plain literal for a scalar operand."""
    found: list[Edit] = []
    for atom in dict.fromkeys(operands(stm.expr)):
        if isinstance(atom, Var) and not atom.type.is_array:
            changed = rebuild(stm.expr, lambda x, atom=atom: plain(atom.type) if x == atom else x, lambda lam: lam)
            found.append(Edit((replace(stm, expr=changed),)))
    return found
