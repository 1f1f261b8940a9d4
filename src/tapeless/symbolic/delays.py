"""Delayed values: what an iteration passes on without having read what was passed to it (F4).

    s = for n [p 0.0] (i, x, s) { y = g(i); return y, s + f(x, y) }

    xs = concat [p] (map n (i) { g(i) })
    s = reduce (+) n (i) { f(xs[i], xs[i + 1]) }

F4 says that x in iteration i is what iteration i - 1 left, and p in the first one. Where that is computed from the
counter alone, it need not be passed on: it is the element i of an array, and iterations no longer depend on one
another. Done where the loop is parallel then, and fails nowhere: what g reads is read earlier than it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, For, Function, Lambda, Map, Stm
from ..ir.types import Type, Var, i64
from ..ir.walk import free_vars, map_lambdas, refresh, substitute
from ..passes import parallelise, peel, simplify
from ..passes.cost import has_check
from ..passes.notes import Notes
from ..passes.uses import mentioned, reached, slice_for
from ..records import replace
from .describe import SUBJECT
from .rules import fired


def run(function: Function, notes: Notes) -> Function:
    """The same function with such loops made parallel."""
    body = _block(function.body, notes)
    if body is function.body:
        return function
    # What is the first or last element only, or not, is told apart: derivatives read whole pieces then.
    return simplify.run(peel.run(simplify.run(replace(function, body=body), notes), Notes()), notes)


def _block(block: Block, notes: Notes) -> Block:
    """The block; the same object when nothing in it changed."""
    made: list[Stm] = []
    rest, changed = block, False
    while rest.stms:
        stm, rest = rest.stms[0], Block(rest.stms[1:], rest.results)
        new = _parallel(stm, stm.expr, notes) if isinstance(stm.expr, For) else None
        if new is not None:
            made += new.stms
            rest = substitute(rest, dict(zip(stm.vars, new.results, strict=True)))
            changed = True
        else:
            made.append(_inside(stm, notes))
            changed |= made[-1] is not stm
    return Block(tuple(made), rest.results) if changed else block


def _inside(stm: Stm, notes: Notes) -> Stm:
    if isinstance(stm.expr, Apply | Check):
        return stm
    changed = False

    def inside(lam: Lambda) -> Lambda:
        nonlocal changed
        body = _block(lam.body, notes)
        changed |= body is not lam.body
        return Lambda(lam.params, body)

    expr = map_lambdas(stm.expr, inside)
    return replace(stm, expr=expr) if changed else stm


def _parallel(stm: Stm, loop: For, notes: Notes) -> Block | None:
    """A block without a loop that gives what a loop gives."""
    delayed = _delayed(loop)
    # A loop that is to run backwards stays: its author has said what it keeps.
    if not delayed or has_check(loop.body.body.stms) or (stm.pos is not None and stm.pos.memory):
        return None
    block = _with_arrays(stm, loop, delayed)
    free = free_vars(block)
    sizes = {size for var in free for size in var.type.shape}
    params = tuple(var for var in free if var not in sizes)
    trial = simplify.run(Function("delayed", params, block), Notes())
    trial = parallelise.run(trial, Notes())
    if any(isinstance(inner.expr, For) for inner in trial.body.stms):
        return None
    fired["F4"] += 1
    names = ", ".join(loop.body.params[1 + k].name.split(".")[0] for k in delayed)
    notes.add(stm.pos, SUBJECT, f"{names} of the iteration before are elements of arrays", "by F4: nothing is carried")
    return trial.body


def _with_arrays(stm: Stm, loop: For, delayed: Sequence[int]) -> Block:
    """The loop with arrays in the place of the delayed values."""
    b, (counter, *carried), body = Builder(stm.pos), loop.body.params, loop.body.body
    made = [body.results[k] for k in delayed]
    values = refresh(Lambda((counter,), slice_for(body, made, checks=False)))
    types = [Type(atom.type.dtype, (loop.count,)) for atom in made]
    arrays = b.bind(types, Map(loop.count, values))
    size = b.apply("add", loop.count, i64(1))
    arrays = [
        b.apply("concat", b.apply("stack", loop.init[k]), array, size, attrs=(0,))
        for k, array in zip(delayed, arrays, strict=True)
    ]
    start, inner = Builder(stm.pos), body
    later = start.apply("add", counter, i64(1))
    for k, array, atom in zip(delayed, arrays, made, strict=True):
        assert isinstance(atom, Var)
        inner = substitute(inner, {carried[k]: start.apply("index", array, counter)})
        inner = _reading(inner, atom, start.apply("index", array, later))
    kept = [k for k in range(len(carried)) if k not in delayed]
    lam = Lambda(
        (counter, *(carried[k] for k in kept)),
        Block((*start.stms, *inner.stms), tuple(inner.results[k] for k in kept)),
    )
    init = tuple(loop.init[k] for k in kept)
    ends = dict(zip(kept, b.bind([x.type for x in init], For(loop.count, init, lam)), strict=True)) if kept else {}
    lasts = {k: b.apply("index", array, loop.count) for k, array in zip(delayed, arrays, strict=True)}
    return b.block([(ends | lasts)[k] for k in range(len(carried))])


def _reading(block: Block, var: Var, atom: Var) -> Block:
    """The block with another atom read wherever a variable is that it binds."""
    at = next(k for k, stm in enumerate(block.stms) if var in stm.vars)
    rest = substitute(Block(block.stms[at + 1 :], block.results), {var: atom})
    return Block((*block.stms[: at + 1], *rest.stms), rest.results)


def _delayed(loop: For) -> list[int]:
    """Carried numbers that are read, and passed on without having read what is carried."""
    carried, body = loop.body.params[1:], loop.body.body
    tainted = reached(body, [param.name for param in carried])
    bound = {var.name for stm in body.stms for var in stm.vars}
    read = {name for stm in body.stms for name in mentioned(stm)}
    found: list[int] = []
    for k, (param, result) in enumerate(zip(carried, body.results, strict=True)):
        is_number = not param.type.shape and param.type.dtype.is_float
        if is_number and isinstance(result, Var) and result.name in bound - tainted and param.name in read:
            found.append(k)
    return found
