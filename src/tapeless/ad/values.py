"""Zeros, sums and products of values of any shape: what adjoints are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.build import Atoms, Builder, is_literal
from ..ir.core import Apply, Block, Check, Custom, Lambda, Map, Pos, Stm
from ..ir.types import Atom, Lit, Type, Var, i64, zero
from ..ir.walk import map_lambdas
from ..passes.sums import sum_operator
from ..records import replace


def zeros(b: Builder, type: Type) -> Atom:
    """A value of this type that is zero everywhere."""
    literal = zero(type.dtype)
    return b.apply("replicate", literal, *type.shape, hint="zeros") if type.shape else literal


def retyped(b: Builder, x: Atom, type: Type) -> Atom:
    """The same value where its sizes go by other names."""
    return x if x.type == type else b.apply("reshape", x, *type.shape)


def plus(b: Builder, x: Atom, y: Atom) -> Atom:
    """x + y, element by element."""
    return elementwise(b, "add", x, y)


def elementwise(b: Builder, op: str, *operands: Atom) -> Atom:
    """A scalar operation on values of one type."""

    def element(b: Builder, *scalars: Atom) -> Atoms:
        return (b.apply(op, *scalars),)

    return each(b, element, *operands)[0]


def each(b: Builder, element: Callable[..., Atoms], *values: Atom) -> Atoms:
    """A function of scalars (`element(b, *scalars)`) on values of one type, element by element."""
    type = values[0].type
    if not type.shape:
        return element(b, *values)
    return b.map_(type.shape[0], lambda b, i: each(b, element, *(b.apply("index", value, i) for value in values)))


def times(b: Builder, factor: Atom, x: Atom) -> Atom:
    """factor * x for scalars, without multiplying by one."""
    if is_literal(factor, 1.0):
        return x
    if is_literal(factor, -1.0):
        return b.apply("neg", x)
    return b.apply("mul", factor, x)


def total(b: Builder, x: Atom, dims: int) -> Atom:
    """The sum of an array over its leading dimensions."""
    if dims == 0:
        return x
    rest = x.type.drop(1)
    result = b.reduce(
        x.type.shape[0], sum_operator(b, (rest,)), (zeros(b, rest),), lambda b, i: (b.apply("index", x, i),)
    )
    return total(b, result[0], dims - 1)


def operator_names(op: Lambda, count: int) -> list[str | None]:
    """For each component of an operator the scalar operation it applies to its own operands; None for anything else."""
    defined = _definitions(op.body)
    return [_operation(defined, op.body.results[k], op.params[k], op.params[count + k]) for k in range(count)]


def operator_name(op: Lambda, k: int) -> str | None:
    """The same for component k alone."""
    count = len(op.params) // 2
    return _operation(_definitions(op.body), op.body.results[k], op.params[k], op.params[count + k])


def _definitions(block: Block) -> dict[Atom, Stm]:
    return {var: stm for stm in block.stms for var in stm.vars}


def _operation(defined: Mapping[Atom, Stm], result: Atom, x: Var, y: Var) -> str | None:
    """`op` when a result is op(x, y), element by element for arrays."""
    stm = defined.get(result)
    if stm is None:
        return None
    match stm.expr:
        case Apply(op, args) if args in ((x, y), (y, x)):
            return op
        case Map(size, body) if x.type.shape and size == x.type.shape[0]:
            return _mapped(body, stm.vars.index(result), x, y)  # type: ignore[arg-type]  # result is one of its vars
        case _:
            return None


def _mapped(body: Lambda, k: int, x: Var, y: Var) -> str | None:
    """The operation that a map applies to the elements of x and y at its own index."""
    elements: dict[str, Var] = {}
    for stm in body.body.stms:
        match stm.expr:
            case Apply("index", (Var() as array, i)) if i == body.params[0]:
                elements[array.name] = stm.vars[0]
            case _:
                pass
    if x.name not in elements or y.name not in elements:
        return None
    return _operation(_definitions(body.body), body.body.results[k], elements[x.name], elements[y.name])


def rerun(block: Block) -> Block:
    """The block as the return sweep runs it: without its checks, at any depth, since they held when it first ran."""

    def lam(lam: Lambda) -> Lambda:
        return Lambda(lam.params, rerun(lam.body))

    stms = tuple(
        Stm(stm.vars, stm.expr if _is_told(stm) else map_lambdas(stm.expr, lam), returning(stm.pos))
        for stm in block.stms
        if not isinstance(stm.expr, Check)
    )
    return Block(stms, block.results)


def _is_told(stm: Stm) -> bool:
    """Does it only tell inverses something (`ir.core.Custom`)? Loops that run again may be run backwards again."""
    return isinstance(stm.expr, Custom) and not stm.vars


def returning(pos: Pos | None) -> Pos | None:
    """The same place, for what the return sweep does there."""
    return None if pos is None else replace(pos, returning=True)


def is_small(type: Type, limit: int = 16) -> bool:
    """Has it a known number of elements, and few of them?"""
    count = 1
    for size in type.shape:
        if not isinstance(size, Lit):
            return False
        count *= int(size.value)
    return count <= limit


def mentions(type: Type, names: set[str]) -> bool:
    """Is one of the sizes of this type among the named variables?"""
    return any(isinstance(size, Var) and size.name in names for size in type.shape)


def in_range(b: Builder, keys: Sequence[Atom], shape: Sequence[Atom]) -> Atom:
    """Are all keys within the leading dimensions?"""
    inside: Atom | None = None
    for key, size in zip(keys, shape, strict=False):
        here = b.apply("and", b.apply("ge", key, i64(0)), b.apply("lt", key, size))
        inside = here if inside is None else b.apply("and", inside, here)
    assert inside is not None
    return inside


def one_more(b: Builder, count: Atom) -> Atom:
    """count + 1."""
    return i64(int(count.value) + 1) if isinstance(count, Lit) else b.apply("add", count, i64(1))
