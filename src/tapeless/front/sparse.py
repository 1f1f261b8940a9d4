"""The programs of sparse Jacobians, as derivatives that are called with the primals and what the sweeps need.

    pattern   primals, (first word, number of words)   ->  for each leaf of the result its words, by sweeps
    columns   primals, (colours of inputs, their count)   ->  for each leaf of the result its tangents, by colours
    rows      primals, (colours of results, their count)  ->  for each leaf to differentiate by its adjoints, by colours

`tapeless.sparse` makes matrices of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DerivativeError
from ..ir.build import Builder
from ..ir.types import Atom
from .context import Context
from .derived import Derivation, positions, trace
from .leaves import leaves, make, take
from .values import Value


def call_sparse(c: Context, d: Derivation, primals: Sequence[Value], how: Value) -> Value:
    """The value of a call of one of the three."""
    from ..ad.compressed import by_columns, by_rows, pattern_words
    from ..ad.planner import plan_for

    traced = trace(c, d.function, primals, {}, positions(c, d.argnums, len(primals)), False)
    _, (first, second) = take(c, how)
    if not all(leaf.is_float for leaf in leaves(traced.out)):
        c.refuse("a sparse Jacobian needs a function that returns floats", error=DerivativeError)
    bound = {var for stm in traced.block.stms for var in stm.vars}
    if any(size in bound for result in traced.block.results for size in result.type.shape):
        c.refuse(
            "a sparse Jacobian needs a result whose size follows from the sizes of the arguments",
            fix="leave out sparse=True",
            error=DerivativeError,
        )

    def build(b: Builder) -> Sequence[Atom]:
        match d.verb:
            case "pattern":
                return pattern_words(b, traced.block, traced.inputs, first, second)
            case "columns":
                return by_columns(b, traced.block, traced.inputs, first, second)
            case _:
                return by_rows(b, traced.block, traced.inputs, first, second, plan_for(d.memory, c.parameters.notes))

    results = iter([c.fresh(atom) for atom in traced.emit(c, build)])
    if d.verb == "rows":
        return tuple(make(c, tree, results) for tree in traced.wrt)
    return make(c, traced.out, results)
