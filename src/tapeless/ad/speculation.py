"""Arms that may be executed though the program might not do so.

Accesses in such an arm are tested (`words`), but a size that makes sense only where the condition holds could be
negative, and a loop might not end. `is_harmless` holds for blocks that make no arrays of new sizes and have no such
loops.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Expr, For, Hist, If, Map, Reduce, Scan, Scatter, Stm
from ..ir.types import Atom, Lit
from .words import Words

# Operations on arrays that are tested, or that no operand can lead out of range.
_TESTED = frozenset({"index", "update", "accumulate", "transpose", "stack", "argsort"})


def is_harmless(w: Words, block: Block) -> bool:
    """Can the block be executed whatever its free variables are?"""
    return all(_statement(w, stm) for stm in block.stms)


def _statement(w: Words, stm: Stm) -> bool:
    return all(_is_size(w, size) for var in stm.vars for size in var.type.shape) and _expression(w, stm.expr)


def _expression(w: Words, expr: Expr) -> bool:
    match expr:
        case Apply(op, args):
            return op in _TESTED or op in ("replicate", "iota") or not any(arg.type.is_array for arg in args)
        case Check():
            return True
        case If(_, then, orelse):
            return is_harmless(w, then) and is_harmless(w, orelse)
        case For(body=body):
            return is_harmless(w, body.body)
        case Map(size, body) | Scatter(size, body=body):
            return _is_size(w, size) and is_harmless(w, body.body)
        case Reduce(size, op, body=body) | Scan(size, op, body=body) | Hist(size, op, body=body):
            return _is_size(w, size) and is_harmless(w, op.body) and is_harmless(w, body.body)
        case _:
            return False


def _is_size(w: Words, size: Atom) -> bool:
    """Is this a size that an array already has?"""
    if isinstance(size, Lit):
        return int(size.value) >= 0
    return size.name in w.sizes
