"""What a program takes, counted statement by statement under several assumptions at once.

Operations cost what their records say, and a byte that is written costs one, as in the counts of the interpreter
(`ir.numbers_count`). How often loops run and which arms are taken is not known, so that it is assumed: all loops
without a literal count run as often, and all branches take the same arm. One program is held to be cheaper than another
if it is so under each assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.core import Apply, Block, Check, For, If, Map, Reduce, Scan, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Type
from ..ir.walk import lambdas
from ..records import dataclass

_VIEWS = frozenset({"slice", "transpose", "reshape", "index"})
_WRITES = frozenset({"update", "update_slice", "accumulate"})


@dataclass(frozen=True, slots=True)
class Assumption:
    """How often loops run, how many elements arrays have in a direction, and which arm of branches is taken."""

    trips: float
    arm: int


ASSUMPTIONS = tuple(Assumption(trips, arm) for trips in (1.0, 100.0) for arm in (0, 1))


def tally(block: Block, assumed: Assumption) -> float:
    """What running a block once takes."""
    return sum(_statement(stm, assumed) for stm in block.stms)


def tallies(block: Block) -> Sequence[float]:
    """What it takes under each assumption."""
    return [tally(block, assumed) for assumed in ASSUMPTIONS]


def _statement(stm: Stm, assumed: Assumption) -> float:
    expr = stm.expr
    match expr:
        case Apply(op, args, attrs):
            written = args[1].type if op in _WRITES else stm.vars[0].type
            moves = lookup(op).arity is None and op not in _VIEWS and not (op == "replicate" and attrs)
            return lookup(op).cost + (_bytes([written], assumed) if moves else 0.0)
        case If(_, then, orelse):
            return 1.0 + tally((then, orelse)[assumed.arm], assumed)
        case _:
            inner = sum(tally(lam.body, assumed) for lam in lambdas(expr))
            carried = isinstance(expr, For | While | Check)
            return (
                1.0 + _trips(stm, assumed) * inner + (0.0 if carried else _bytes([x.type for x in stm.vars], assumed))
            )


def _trips(stm: Stm, assumed: Assumption) -> float:
    match stm.expr:
        case Check():
            return 1.0
        case For(count):
            return _number(count, assumed)
        case Map(size) | Reduce(size) | Scan(size):
            return _number(size, assumed)
        case _:
            return assumed.trips


def _number(atom: Atom, assumed: Assumption) -> float:
    return float(atom.value) if isinstance(atom, Lit) else assumed.trips


def _bytes(types: Iterable[Type], assumed: Assumption) -> float:
    total = 0.0
    for type in types:
        size = float(type.dtype.itemsize)
        for length in type.shape:
            size *= _number(length, assumed)
        total += size
    return total
