"""Code that may run where it was not asked for: it checks nothing, writes nothing of others, and reads in range.

Scalar operations are total. An index must be provably in range by the facts of a walk: those that hold where the code
is to stand, not where it stood. So must the places of a slice, whose steps are to be positive literals. What makes an
array must make one of a size that is not negative, whether or not there is anything to put into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.core import Apply, Lambda, Map, Reduce, Scan, Stm
from ..ir.types import Atom, Lit
from ..ir.walk import lambdas
from .cost import is_total
from .ranges import Walk

# Array operations that are defined for all operands of their types, and those that only ask for a size.
_TOTAL = ("transpose", "stack")
_SIZED = ("replicate", "iota")
# Where the indices of an element or a row begin among the operands.
_INDICES = {"index": 1, "update": 2, "accumulate": 2}


def is_harmless(walk: Walk, stm: Stm) -> bool:
    """May this be evaluated here? Its operands are those of the program that the walk rewrites."""
    expr = stm.expr
    match expr:
        case Apply(op, args) if op in _INDICES:
            return _within(walk, args[0], args[_INDICES[op] :])
        case Apply("slice", (array, *places)):
            return _covers(walk, array, places[0::3], places[1::3], places[2::3])
        case Apply("update_slice", (array, part, *places)):
            return _covers(walk, array, places[0::2], part.type.shape, places[1::2])
        case Apply("reshape", (array, *_)):
            shape = stm.vars[0].type.shape
            return _are_sizes(walk, shape) and _factors(walk, shape) == _factors(walk, array.type.shape)
        case Apply(op) if op in _SIZED:
            return _are_sizes(walk, stm.vars[0].type.shape)
        case Apply(op):
            return is_total(expr) or op in _TOTAL
        case Map(size, body) | Reduce(size, body=body) | Scan(size, body=body):
            return _is_loop_harmless(walk, size, body, lambdas(expr))
        case _:
            return False


def are_harmless(walk: Walk, stms: Iterable[Stm]) -> bool:
    """May these be evaluated here, one after the other?"""
    for stm in stms:
        if not is_harmless(walk, stm):
            return False
        if isinstance(stm.expr, Apply):  # later indices may be made of this one
            walk.r.defs[stm.vars[0].name] = Apply(stm.expr.op, walk.r.atoms(stm.expr.args), stm.expr.attrs)
    return True


def _within(walk: Walk, array: Atom, indices: Iterable[Atom]) -> bool:
    shape = walk.r.type(array.type).shape
    return all(walk.facts.within(i, n) for i, n in zip(walk.r.atoms(indices), shape, strict=False))


def _covers(walk: Walk, array: Atom, starts: Sequence[Atom], counts: Sequence[Atom], steps: Sequence[Atom]) -> bool:
    """Are the places start + k * step, for all k below the count, in range in each dimension that is sliced?"""
    shape, facts = walk.r.type(array.type).shape, walk.facts
    for start, count, step, size in zip(starts, counts, steps, shape, strict=False):
        if not isinstance(step, Lit) or step.value < 1:
            return False
        first, length = facts.form(walk.r.atom(start)), facts.form(walk.r.atom(count))
        last = first.plus(length.shifted(-1), int(step.value))
        if not all(facts.proves(x) for x in (first, length, facts.form(size).plus(last, -1).shifted(-1))):
            return False
    return True


def _are_sizes(walk: Walk, shape: Sequence[Atom]) -> bool:
    return all(walk.facts.proves(walk.facts.form(walk.r.atom(size))) for size in shape)


def _factors(walk: Walk, shape: Sequence[Atom]) -> tuple[int, list[str]]:
    """A number of elements as a product: of a literal, and of variables in alphabetical order."""
    literal, names = 1, list[str]()
    left = list(walk.r.atoms(shape))
    while left:
        size = left.pop()
        if isinstance(size, Lit):
            literal *= int(size.value)
        elif isinstance(product := walk.r.defs.get(size.name), Apply) and product.op == "mul":
            left += product.args
        else:
            names.append(size.name)
    return literal, sorted(names)


def _is_loop_harmless(walk: Walk, size: Atom, body: Lambda, parts: Iterable[Lambda]) -> bool:
    if not _are_sizes(walk, (size,)):  # before there is a counter: with one it would be positive
        return False
    with walk.facts.scope():
        walk.facts.counter(body.params[0], walk.r.atom(size))
        return all(are_harmless(walk, lam.body.stms) for lam in parts)
