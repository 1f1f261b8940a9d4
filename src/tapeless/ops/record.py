"""Making the records of scalar operations: the type rule is the same for nearly all of them.

`unary`, `binary` and `ternary` register an operation on scalars of one type among `dtypes`; its
result has that type, or the type `result`. `partials` are formulas (see `formula`) over the
operands and the result, or one of the words of `ir.op.Op`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from ..errors import IRError
from ..ir.op import Domain, Meaning, Op, TypeRule, register
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Type
from .formula import Formula, Term, formula

FLOATS = (F32, F64)
INTS = (I32, I64)
NUMBERS = (*INTS, *FLOATS)
ALL = (BOOL, *NUMBERS)

Word: TypeAlias = Literal["constant", "structural", "opaque"]
Unary: TypeAlias = Callable[[Formula, Formula], Term]
Binary: TypeAlias = Callable[[Formula, Formula, Formula], Term]
Ternary: TypeAlias = Callable[[Formula, Formula, Formula, Formula], Term]


class Details(TypedDict, total=False):
    """What a record may say beyond its meaning and partials."""

    dtypes: tuple[DType, ...]
    result: DType
    cost: float
    domain: Domain


def unary(
    name: str,
    meaning: Callable[[Any, Any], Any],
    partials: Word | tuple[Unary],
    *,
    lowering: str,
    doc: str,
    **details: Unpack[Details],
) -> None:
    """Register an operation on one scalar."""
    _scalar(name, 1, meaning, partials, lowering, doc, details)


def binary(
    name: str,
    meaning: Callable[[Any, Any, Any], Any],
    partials: Word | tuple[Binary, Binary],
    *,
    lowering: str,
    doc: str,
    **details: Unpack[Details],
) -> None:
    """Register an operation on two scalars."""
    _scalar(name, 2, meaning, partials, lowering, doc, details)


def ternary(
    name: str,
    meaning: Callable[[Any, Any, Any, Any], Any],
    partials: Word | tuple[Ternary, Ternary, Ternary],
    *,
    lowering: str,
    doc: str,
    **details: Unpack[Details],
) -> None:
    """Register an operation on three scalars."""
    _scalar(name, 3, meaning, partials, lowering, doc, details)


def _scalar(
    name: str,
    arity: int,
    meaning: Meaning,
    partials: Word | tuple[Callable[..., Term], ...],
    lowering: str,
    doc: str,
    details: Details,
) -> None:
    dtypes = details.get("dtypes", FLOATS)
    register(
        Op(
            name,
            arity,
            uniform(name, arity, dtypes, details.get("result")),
            meaning,
            partials if isinstance(partials, str) else tuple(formula(rule) for rule in partials),
            dtypes,
            lowering=lowering,
            cost=details.get("cost", 1.0),
            domain=details.get("domain", Domain()),
            doc=doc,
        )
    )


def uniform(name: str, arity: int, dtypes: tuple[DType, ...], result: DType | None = None) -> TypeRule:
    """The type rule of `arity` scalars of one type."""
    allowed = frozenset(dtypes)
    # Types of results are shared: most statements of a program have one of these five.
    results = {dtype: Type(result or dtype) for dtype in dtypes}

    def rule(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
        if len(args) == arity and not attrs:
            dtype = args[0].type.dtype
            if dtype in allowed and all(arg.type.dtype is dtype and not arg.type.shape for arg in args):
                return results[dtype]
        wanted = f"{arity} scalar{'s' if arity > 1 else ''} of one type among {', '.join(map(repr, dtypes))}"
        raise misuse(name, wanted, args, attrs)

    return rule


def misuse(name: str, wanted: str, args: Sequence[Atom], attrs: tuple[Any, ...] = ()) -> IRError:
    """The error of an operation applied to operands that it does not take."""
    got = ", ".join(f"{arg!r}: {arg.type!r}" for arg in args) or "nothing"
    return IRError(f"{name} takes {wanted}; got {got}" + (f" with attributes {attrs!r}" if attrs else ""))
