"""Two elements or rows of an array that change places: `x[i], x[j] = x[j], x[i]`.

That is undone by itself wherever the places are, even if they are one. Other changes of two elements are told write by
write, for which their places must be apart.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Map, Stm
from ..ir.types import Atom, Var
from .apart import Place
from .solving import Solving


def undo_exchange(s: Solving, expr: Apply, var: Var) -> None:
    """Learn an array from what it became, if this is the second write of an exchange."""
    result = s.at_hand(var)
    match s.definition(expr.args[0]) if isinstance(expr.args[0], Var) else None:
        case Apply("update", (Var() as array, one, *here)) if result is not None and s.try_value(array) is None:
            _, other, *there = expr.args
            first, second = s.place("index", here), s.place("index", there)
            if _read_from(s, array, one) == second and _read_from(s, array, other) == first:
                _exchange_back(s, array, result, [s.value(k) for k in here], [s.value(k) for k in there])
        case _:
            pass


def _read_from(s: Solving, array: Var, value: Atom) -> Place | None:
    """The place of an array that a value, or the row of which it is a copy, was read from."""
    match s.definition(value) if isinstance(value, Var) else None:
        case Apply("index", (source, *at)) if source == array:
            return s.place("index", at)
        case Map(size, body) if size == value.type.shape[0]:
            match body.body:
                case Block((Stm((item,), Apply("index", (Var() as row, at))),), (result,)):
                    return _read_from(s, array, row) if (item, at) == (result, body.params[0]) else None
                case _:
                    return None
        case _:
            return None


def _exchange_back(s: Solving, array: Var, result: Atom, here: list[Atom], there: list[Atom]) -> None:
    one, other = s.b.apply("index", result, *there), s.b.apply("index", result, *here)
    s.learn(array, s.b.apply("update", s.b.apply("update", result, one, *here), other, *there))
