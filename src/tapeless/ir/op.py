"""The record of one operation, and the registry by name that `ops/` fills.

Everything the compiler knows of a first-order operation stands in its record; the checker, the
builder, the interpreter, the derivative transformations, the back ends, the tests and the manual
read it from here. The records themselves are in `ops/`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from ..records import dataclass
from .types import Atom, DType, Type

# From the operands and the attributes to the type of the result. Raises `IRError` on misuse.
TypeRule: TypeAlias = Callable[[Sequence[Atom], tuple[Any, ...]], Type]

# `meaning(n, *values, *attrs)`: from a number tower (`ir.numbers`), the operands' values and the
# attributes to the value. The tower offers n.exp, n.floor, ...; plain arithmetic uses Python's operators.
Meaning: TypeAlias = Callable[..., Any]

# From a builder, the operands and the result to the partial derivative as an atom.
Partial: TypeAlias = Callable[[Any, Sequence[Atom], Atom], Atom]


@dataclass(frozen=True, slots=True)
class Domain:
    """Where random tests may sample each operand, and what happens at kinks.

    `ranges` has one (low, high) per operand (the last repeats). `convention` says in words what
    the derivative is where the operation is not smooth.
    """

    ranges: tuple[tuple[float, float], ...] = ((-4.0, 4.0),)
    smooth: bool = True
    convention: str = ""


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    `partials` has one entry per operand; `constant` means the derivative is zero wherever it
    exists (comparisons, floor), `structural` that the rule is in `ad/` because the operation moves
    values without changing them, `opaque` that differentiating through it is refused.
    `lowering` names how scalar code is made: an LLVM instruction or intrinsic (`fadd`, `llvm.fabs`),
    or `math:NAME` for one of our own elementary functions (`backend/elementary`).
    `cost` is in units of one addition.
    """

    name: str
    arity: int | None
    type_rule: TypeRule
    meaning: Meaning
    partials: tuple[Partial, ...] | Literal["constant", "structural", "opaque"]
    dtypes: tuple[DType, ...]
    lowering: str = ""
    cost: float = 1.0
    domain: Domain = Domain()
    doc: str = ""


_REGISTRY: dict[str, Op] = {}
_UNLISTED: set[str] = set()


def register(op: Op, *, listed: bool = True) -> Op:
    """Add a record. A name is given once. What is not `listed` is known by name, but no part of the table."""
    if op.name in _REGISTRY:
        raise ValueError(f"operation {op.name!r} is registered twice")
    _REGISTRY[op.name] = op
    if not listed:
        _UNLISTED.add(op.name)
    return op


def lookup(name: str) -> Op:
    return _REGISTRY[name]


def is_known(name: str) -> bool:
    return name in _REGISTRY


def all_ops() -> tuple[Op, ...]:
    """Every record of the table, in the order of registration."""
    return tuple(op for op in _REGISTRY.values() if op.name not in _UNLISTED)
