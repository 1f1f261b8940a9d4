"""An operation of another system, such as JAX: one result of a function that only that system can run.

    foreign(args) attrs=(Foreign, k)     result k of the function applied to all operands; `foreign_steps` if no float

It is made by the front end of that system and run by the back end of that system; every other one refuses it, so it is
not part of the table. Its derivative is given by a `Custom` around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn

from ..errors import UnsupportedFunctionError
from ..ir.op import Op, register
from ..ir.types import Atom, Type
from ..records import dataclass
from .record import ALL, misuse


@dataclass(frozen=True, slots=True, eq=False)
class Foreign:
    """A function of the other system, and the types of its results."""

    name: str
    types: tuple[Type, ...]
    function: Callable[..., Sequence[Any]]

    def __repr__(self) -> str:
        return self.name


def _rule(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    match attrs:
        case (Foreign() as function, int(k)):
            return function.types[k]
        case _:
            wanted = "operands, and as attributes the function and the number of its result"
            raise misuse("foreign", wanted, args, attrs)


def _refused(_n: Any, *values: Any) -> NoReturn:
    raise UnsupportedFunctionError(f"{values[-2]!r} can be run by the system only that it comes from")


def _register(name: str, partials: Literal["opaque", "constant"], doc: str) -> None:
    register(Op(name, None, _rule, _refused, partials, ALL, cost=100.0, doc=doc), listed=False)


_register("foreign", "opaque", "A function of another system.")
_register("foreign_steps", "constant", "The same for results that are not floats, and so do not vary smoothly.")
