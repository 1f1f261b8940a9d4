"""Making the records of scalar operations: the type rule is the same for nearly all of them.

`scalar` registers an operation on scalars of one type; its result has that type, or `result`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from ..errors import IRError
from ..ir.op import Domain, Meaning, Op, Partial, TypeRule, register
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Type
from .formula import Term, formula

FLOATS = (F32, F64)
INTS = (I32, I64)
NUMBERS = (*INTS, *FLOATS)
ALL = (BOOL, *NUMBERS)

Rules = tuple[Callable[..., Term], ...]


def scalar(
    name: str,
    arity: int,
    meaning: Meaning,
    partials: Rules | Literal["constant", "structural", "opaque"],
    dtypes: tuple[DType, ...] = FLOATS,
    *,
    lowering: str,
    cost: float = 1.0,
    result: DType | None = None,
    domain: Domain | None = None,
    doc: str,
) -> Op:
    """Register an operation on `arity` scalars of one type among `dtypes`."""
    rules: tuple[Partial, ...] | Literal["constant", "structural", "opaque"]
    rules = partials if isinstance(partials, str) else tuple(formula(rule) for rule in partials)
    return register(
        Op(
            name, arity, uniform(name, arity, dtypes, result), meaning, rules, dtypes,
            lowering=lowering, cost=cost, domain=domain or Domain(), doc=doc,
        )
    )  # fmt: skip


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
