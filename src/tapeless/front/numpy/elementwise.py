"""Functions applied element by element: promotion of the operands, broadcasting, one nest of maps.

A `Ufunc` says which type its operands are converted to (`rule`) and how one element is computed (`kernel`).
Shapes are broadcast as NumPy does: dimensions of literal size 1 stretch, all others must agree, which is
checked when the program runs unless it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...ir.types import BOOL, F64, I32, I64, Atom, DType
from ...records import dataclass
from ..context import Context
from ..values import Value
from .arguments import pull
from .atoms import NUMPY_DTYPE, ONE
from .nest import Atoms, Pull, array_of, pull_atom, recast, stretched, whole

Kernel: TypeAlias = Callable[..., Atom]
Rule: TypeAlias = Callable[[Context, str, Sequence[Value]], DType]


@dataclass(frozen=True, slots=True)
class Ufunc:
    """An elementwise function of `arity` operands."""

    name: str
    arity: int
    rule: Rule
    kernel: Kernel


def apply_ufunc(c: Context, ufunc: Ufunc, operands: Sequence[Value], out: Value = None) -> Value:
    """The function of broadcast operands: a NumPy scalar when all are scalars, else a new array or `out`."""
    dtype = ufunc.rule(c, ufunc.name, operands)
    result = elementwise(c, [pull(c, x, dtype) for x in operands], ufunc.kernel)
    return deliver(c, result, out)


def elementwise(c: Context, pulls: Sequence[Pull], kernel: Kernel) -> Atom:
    """The kernel over the broadcast shape of its operands."""
    shape = broadcast(c, [p.shape for p in pulls])
    operands = [stretched(p, shape) for p in pulls]

    return array_of(c.b, shape, lambda b, index: kernel(b, *(p.at(b, index) for p in operands)))


def broadcast(c: Context, shapes: Sequence[Atoms]) -> Atoms:
    """The common shape; sizes that are not known to agree are checked at run time."""
    rank = max(map(len, shapes), default=0)
    result: list[Atom] = []
    for dim in range(-rank, 0):
        size: Atom = ONE
        for shape in shapes:
            if len(shape) >= -dim and shape[dim] != ONE:
                size = shape[dim] if size == ONE else c.equal_sizes(size, shape[dim])
        result.append(size)
    return tuple(result)


def deliver(c: Context, result: Atom, out: Value = None, weak: bool = False) -> Value:
    """The result as a value, or written into `out`, which must be able to hold it."""
    if out is None:
        return c.fresh(result, weak)
    require_castable(c, result.type.dtype, c.dtype(out))
    shape = c.shape(out)
    if len(shape) != result.type.rank:
        c.refuse("out= has another number of dimensions than the result", fix="give it the shape of the result")
    for have, need in zip(shape, result.type.shape, strict=True):
        c.equal_sizes(have, need)
    c.write(out, recast(c.b, whole(c.b, pull_atom(result).to(c.dtype(out))), shape))
    return out


def require_castable(c: Context, source: DType, target: DType) -> None:
    """Refuse what NumPy's same-kind casting refuses: a float into an integer array, a number into a bool array."""
    if not _kind(source) <= _kind(target):
        c.refuse(
            f"a {NUMPY_DTYPE[source]} result cannot be stored in a {NUMPY_DTYPE[target]} array",
            why="NumPy casts in place only within a kind or to a wider one",
            fix=f"make the array {NUMPY_DTYPE[source]}, or convert with .astype({NUMPY_DTYPE[target]!s})",
        )


def is_static(value: Value) -> bool:
    """Is this a Python number known now?"""
    return isinstance(value, bool | int | float)


def _kind(dtype: DType) -> int:
    return 2 if dtype.is_float else 1 if dtype.is_int else 0


# -- rules: the type that operands are converted to ---------------------------------------------


def any_type(c: Context, _name: str, operands: Sequence[Value]) -> DType:
    """The common type of the operands."""
    return c.promote(*operands)


def comparable(c: Context, _name: str, operands: Sequence[Value]) -> DType:
    """The common type; Python integers are compared with 32-bit ones as what they are."""
    dtype = c.promote(*operands)
    return I64 if dtype is I32 and any(map(c.is_weak, operands)) else dtype


def numeric(c: Context, name: str, operands: Sequence[Value]) -> DType:
    """The common type, which must not be bool."""
    dtype = c.promote(*operands)
    if dtype is BOOL:
        c.refuse(
            f"{name} is not defined for booleans here",
            why="NumPy raises, or answers in an 8-bit type that the language does not have",
            fix="convert to numbers first, for example x.astype(np.int64), or use a logical function",
        )
    return dtype


def floating(c: Context, name: str, operands: Sequence[Value]) -> DType:
    """The common type; f64 for integers."""
    dtype = c.promote(*operands)
    if dtype is BOOL:
        c.refuse(
            f"{name} of booleans would be half precision",
            why="NumPy answers in float16, which the language does not have",
            fix="convert to numbers first, for example x.astype(float)",
        )
    return dtype if dtype.is_float else F64


def double(c: Context, _name: str, operands: Sequence[Value]) -> DType:
    """f64, whatever the operands are."""
    c.promote(*operands)
    return F64


def true_division(c: Context, _name: str, operands: Sequence[Value]) -> DType:
    """The common type; f64 for integers and booleans."""
    dtype = c.promote(*operands)
    return dtype if dtype.is_float else F64


def bits(c: Context, name: str, operands: Sequence[Value]) -> DType:
    """The common type, an integer or bool."""
    dtype = c.promote(*operands)
    if dtype.is_float:
        c.refuse(f"{name} is not defined for floating-point numbers", fix="convert to integers first")
    return dtype


def integers(c: Context, name: str, operands: Sequence[Value]) -> DType:
    """The common type, an integer."""
    if bits(c, name, operands) is BOOL:
        return numeric(c, name, operands)
    return c.promote(*operands)


def truth(c: Context, _name: str, operands: Sequence[Value]) -> DType:
    """bool, whatever the operands are."""
    c.promote(*operands)
    return BOOL
