"""Arrays put into another order: `x[:] = x[order]`, `a[:] = a[:, order]`, `x[:] = np.roll(x, k)`.

The order is known when the inverse runs. It must name each place once, or something is lost: that is checked, by
writing the number of each place where it went to, after which none may be left without one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Lambda, Map, Stm
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import free_vars, fresh
from ..passes.affine import variable
from ..passes.uses import slice_for
from ..records import dataclass
from .solving import Solving

NO_ORDER = "an order must name each place once for this to be undone"


@dataclass(frozen=True, slots=True)
class _Order:
    """An array whose places along one dimension are read in another order, which a body computes for each."""

    array: Var
    dimension: int
    size: Atom
    place: Lambda


def undo_permutation(s: Solving, stm: Stm) -> None:
    """Learn the array whose elements a loop reads in another order."""
    result = s.at_hand(stm.vars[-1]) if stm.vars else None
    order = _order(s, stm) if s.checks and result is not None else None
    if order is None or result is None or s.try_value(order.array) is not None:
        return
    whole = order.array.type.shape[order.dimension]
    if order.size != whole and s.facts().decide("eq", order.size, whole) is not True:
        return
    numbers = Var(fresh("order", Type(I64)).name, Type(I64, (order.size,)))
    (there,) = s.computed(Block((Stm((numbers,), Map(order.size, order.place)),), (numbers,)))
    back = _inverted(s.b, there, s.value(order.array.type.shape[order.dimension]))
    shape = s.type(order.array.type).shape
    s.learn(order.array, _reordered(s.b, result, back, order.dimension, shape, ()))


def _order(s: Solving, stm: Stm) -> _Order | None:
    """What a nest of loops reads, if it reads one array by its counters but for one dimension."""
    counters, sizes, stms = list[Var](), list[Atom](), dict[str, Stm]()
    while isinstance(stm.expr, Map) and len(stm.vars) == 1:
        body = stm.expr.body.body
        counters.append(stm.expr.body.params[0])
        sizes.append(stm.expr.size)
        stms |= {var.name: inner for inner in body.stms for var in inner.vars}
        found = stms.get(body.results[0].name) if isinstance(body.results[0], Var) else None
        if found is None:
            return None
        stm = found
    match stm.expr:
        case Apply("index", (Var() as array, *at)) if array.name not in stms and len(at) == len(counters):
            others = [k for k, i in enumerate(at) if s.form(i) != variable(counters[k].name)]
            if len(others) != 1:
                return None
            (k,) = others
            place = slice_for(Block(tuple(dict.fromkeys(stms.values())), ()), (at[k],), checks=False)
            if free_vars(place).keys() & {*counters} != {counters[k]}:
                return None
            return _Order(array, k, sizes[k], Lambda((counters[k],), place))
        case _:
            return None


def _inverted(b: Builder, order: Atom, size: Atom) -> Atom:
    """The order that leads back; it is checked that there is one."""
    count = order.type.shape[0]
    b.check("equal", count, size)
    nowhere = b.apply("replicate", i64(-1), size)
    back = b.scatter(count, nowhere, 1, lambda b, k: (b.apply("index", order, k), k))

    def left_out(b: Builder, k: Var) -> Sequence[Atom]:
        return (b.apply("select", b.apply("lt", b.apply("index", back, k), i64(0)), i64(1), i64(0)),)

    (missing,) = b.reduce(size, "add", (i64(0),), left_out)
    b.check("assert", b.apply("eq", missing, i64(0)), info=NO_ORDER)
    return back


def _reordered(b: Builder, array: Atom, order: Atom, dimension: int, shape: Sequence[Atom], at: Sequence[Atom]) -> Atom:
    """An array whose places along one dimension come from others."""
    if len(at) == len(shape):
        return b.apply("index", array, *at)

    def element(b: Builder, k: Var) -> Sequence[Atom]:
        place = b.apply("index", order, k) if len(at) == dimension else k
        return (_reordered(b, array, order, dimension, shape, (*at, place)),)

    return b.map_(shape[len(at)], element)[0]
