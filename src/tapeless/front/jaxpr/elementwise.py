"""Primitives that act on each element: one map nest over the shape of the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ...errors import UnsupportedFunctionError
from ...ir.build import Atoms, Builder
from ...ir.types import BOOL, F32, I32, I64, Atom, DType, Lit, boolean
from ..numpy.atoms import ZERO, convert, literal
from ..numpy.nest import Pull, array_of, pull_atom
from .convert import Walk, rule
from .types import dtype_of, sizes

# From a builder, the equation and its operands' elements to the element of the result.
Formula: TypeAlias = Callable[[Builder, Any, Atoms], Atom]


def elementwise(b: Builder, shape: Atoms, args: Sequence[Atom], element: Callable[[Builder, Atoms], Atom]) -> Atom:
    """The array of `element(b, elements of args)`; scalars and sizes of one stand for every element."""
    pulls = [pull_atom(arg) for arg in args]
    return array_of(b, shape, lambda b, index: element(b, tuple(p.at(b, _own(p, shape, index)) for p in pulls)))


def _own(pull: Pull, shape: Atoms, index: Atoms) -> Atoms:
    """Where an operand is read for an element of the result."""
    if not pull.rank:
        return ()
    return tuple(i if n == m else ZERO for i, n, m in zip(index, pull.shape, shape, strict=True))


def formula(*names: str) -> Callable[[Formula], Formula]:
    """Register an elementwise primitive by its formula."""

    def add(make: Formula) -> Formula:
        def apply(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
            shape = sizes(equation.outvars[0].aval.shape)
            return (elementwise(walk.b, shape, args, lambda b, xs: make(b, equation, xs)),)

        rule(*names)(apply)
        return make

    return add


def _plain(primitive: str, op: str) -> None:
    formula(primitive)(lambda b, _, xs: b.apply(op, *xs))


_SAME = (
    "add", "sub", "mul", "neg", "abs", "sign", "exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sqrt", "cbrt", "erf", "erfc", "lgamma",
    "digamma", "floor", "ceil", "and", "or", "xor", "not", "eq", "ne", "lt", "le", "gt", "ge", "max", "min",
)  # fmt: skip

for _name in _SAME:
    _plain(_name, _name)

_plain("add_any", "add")
_plain("is_finite", "isfinite")
_plain("shift_left", "shl")
_plain("shift_right_arithmetic", "shr")
_plain("shift_right_logical", "lshr")


def _ordered(b: Builder, x: Atom) -> Atom:
    """An integer for each float, in the order -NaN < -inf < ... < -0 < 0 < ... < inf < NaN."""
    if not x.type.dtype.is_float:
        return x
    dtype, last = (I32, 31) if x.type.dtype is F32 else (I64, 63)
    bits = b.apply("bitcast", b.apply("stop_gradient", x), attrs=(dtype,))
    mask = b.apply("and", b.apply("shr", bits, Lit(last, dtype)), Lit((1 << last) - 1, dtype))
    return b.apply("xor", bits, mask)


def _in_total_order(primitive: str, op: str) -> None:
    formula(primitive)(lambda b, _, xs: b.apply(op, *(_ordered(b, x) for x in xs)))


_in_total_order("lt_to", "lt")
_in_total_order("le_to", "le")
_in_total_order("eq_to", "eq")


def _number(x: Atom, value: float) -> Lit:
    return literal(value, x.type.dtype)


@rule("copy", "copy_p", "optimization_barrier", "pvary", "name", "device_put", "sharding_constraint")
def _same(_walk: Walk, _equation: Any, args: Atoms) -> Sequence[Atom]:
    return args


@formula("square")
def _square(b: Builder, _: Any, xs: Atoms) -> Atom:
    return b.apply("mul", xs[0], xs[0])


@formula("rsqrt")
def _rsqrt(b: Builder, _: Any, xs: Atoms) -> Atom:
    return b.apply("div", _number(xs[0], 1), b.apply("sqrt", xs[0]))


@formula("logistic")
def _logistic(b: Builder, _: Any, xs: Atoms) -> Atom:
    # Through exp of what is not positive, so that neither the value nor its derivative overflows.
    (x,) = xs
    one = _number(x, 1)
    right = b.apply("ge", x, _number(x, 0))
    small = b.apply("exp", b.apply("select", right, b.apply("neg", x), x))
    return b.apply("div", b.apply("select", right, one, small), b.apply("add", one, small))


@formula("div")
def _div(b: Builder, _: Any, xs: Atoms) -> Atom:
    if xs[0].type.dtype.is_float:
        return b.apply("div", *xs)
    return _truncated(b, *xs)[0]


@formula("rem")
def _rem(b: Builder, _: Any, xs: Atoms) -> Atom:
    x, y = xs
    if not x.type.dtype.is_float:
        return _truncated(b, x, y)[1]
    # Of the magnitudes, with the sign of x.
    zero = _number(x, 0)
    size = b.apply("select", b.apply("lt", y, zero), b.apply("neg", y), y)
    below = b.apply("lt", x, zero)
    rest = b.apply("mod", b.apply("select", below, b.apply("neg", x), x), size)
    return b.apply("select", below, b.apply("neg", rest), rest)


def _truncated(b: Builder, x: Atom, y: Atom) -> tuple[Atom, Atom]:
    """Quotient and remainder of integers, rounded towards zero; by zero they are -1 and x, as XLA has them."""
    zero = _number(x, 0)
    down, rest = b.apply("floordiv", x, y), b.apply("mod", x, y)
    differ = b.apply("ne", b.apply("lt", x, zero), b.apply("lt", y, zero))
    up = b.apply("and", b.apply("ne", rest, zero), differ)
    by_zero = b.apply("eq", y, zero)
    quotient = b.apply("select", up, b.apply("add", down, _number(x, 1)), down)
    remainder = b.apply("select", up, b.apply("sub", rest, y), rest)
    return b.apply("select", by_zero, _number(x, -1), quotient), b.apply("select", by_zero, x, remainder)


@formula("integer_pow")
def _integer_pow(b: Builder, equation: Any, xs: Atoms) -> Atom:
    (x,) = xs
    power = int(equation.params["y"])
    if power == 0:
        return _number(x, 1)
    result: Atom | None = None
    square, rest = x, abs(power)
    while rest:
        if rest & 1:
            result = square if result is None else b.apply("mul", result, square)
        rest >>= 1
        if rest:
            square = b.apply("mul", square, square)
    assert result is not None
    return result if power > 0 else b.apply("div", _number(x, 1), result)


@formula("pow")
def _pow(b: Builder, _: Any, xs: Atoms) -> Atom:
    x, y = xs
    if not x.type.dtype.is_float:
        return b.apply("ipow", x, convert(b, y, x.type.dtype))
    return b.apply("pow", x, convert(b, y, x.type.dtype))


@formula("round")
def _round(b: Builder, equation: Any, xs: Atoms) -> Atom:
    (x,) = xs
    if int(equation.params["rounding_method"]) == 1:
        return b.apply("rint", x)
    whole = b.apply("trunc", x)
    far = b.apply("ge", b.apply("abs", b.apply("sub", x, whole)), _number(x, 0.5))
    away = b.apply("add", whole, b.apply("copysign", _number(x, 1), b.apply("stop_gradient", x)))
    return b.apply("select", far, away, whole)


@formula("select_n")
def _select_n(b: Builder, _: Any, xs: Atoms) -> Atom:
    which, *cases = xs
    if which.type.dtype is BOOL:
        return cases[0] if len(cases) == 1 else b.apply("select", which, cases[1], cases[0])
    result = cases[-1]
    for k in range(len(cases) - 2, -1, -1):
        result = b.apply("select", b.apply("le", which, _number(which, k)), cases[k], result)
    return result


@formula("clamp")
def _clamp(b: Builder, _: Any, xs: Atoms) -> Atom:
    # JAX's convention: on a bound the derivative is 0.
    low, x, high = xs
    inside = b.apply("and", b.apply("gt", x, low), b.apply("lt", x, high))
    still = b.apply("stop_gradient", x) if x.type.dtype.is_float else x
    above = b.apply("select", b.apply("gt", x, high), high, still)
    return b.apply("select", inside, x, b.apply("select", b.apply("lt", x, low), low, above))


@formula("stop_gradient")
def _stop_gradient(b: Builder, _: Any, xs: Atoms) -> Atom:
    return b.apply("stop_gradient", xs[0]) if xs[0].type.dtype.is_float else xs[0]


@formula("convert_element_type")
def _convert_element_type(b: Builder, equation: Any, xs: Atoms) -> Atom:
    (x,) = xs
    dtype = dtype_of(equation.params["new_dtype"])
    if x.type.dtype.is_float and dtype.is_int:
        if str(equation.params["new_dtype"]).startswith("u"):
            raise UnsupportedFunctionError("floats cannot be converted to unsigned numbers in machine code")
        return _saturated(b, x, dtype)
    return convert(b, x, dtype)


def _saturated(b: Builder, x: Atom, dtype: DType) -> Atom:
    """A float as an integer: NaN is 0, and what is too large the largest there is."""
    bits = 31 if dtype is I32 else 63
    highest = b.apply("ge", x, _number(x, float(1 << bits)))
    number = b.apply("select", b.apply("isnan", x), _number(x, 0), x)
    lowest = b.apply("lt", x, _number(x, -float(1 << bits)))
    safe = b.apply("select", b.apply("or", highest, lowest), _number(x, 0), number)
    bounds = Lit((1 << bits) - 1, dtype), Lit(-(1 << bits), dtype)
    inside = b.apply("convert", safe, attrs=(dtype,))
    return b.apply("select", highest, bounds[0], b.apply("select", lowest, bounds[1], inside))


@formula("bitcast_convert_type")
def _bitcast(b: Builder, equation: Any, xs: Atoms) -> Atom:
    (x,) = xs
    dtype = dtype_of(equation.params["new_dtype"])
    if dtype is x.type.dtype:
        return x
    # The bits of a number do not vary smoothly with it: JAX's derivative is 0.
    return b.apply("bitcast", b.apply("stop_gradient", x) if x.type.dtype.is_float else x, attrs=(dtype,))


@formula("reduce_precision")
def _reduce_precision(b: Builder, equation: Any, xs: Atoms) -> Atom:
    full = (8, 23) if xs[0].type.dtype is F32 else (11, 52)
    if (equation.params["exponent_bits"], equation.params["mantissa_bits"]) != full:
        raise UnsupportedFunctionError("reduce_precision to fewer bits cannot be compiled to machine code")
    return xs[0]


@formula("population_count")
def _population_count(b: Builder, _: Any, xs: Atoms) -> Atom:
    (x,) = xs
    total: Atom = _number(x, 0)
    for bit in range(32 if x.type.dtype is I32 else 64):
        total = b.apply("add", total, b.apply("and", b.apply("lshr", x, _number(x, bit)), _number(x, 1)))
    return total


@rule("erf_inv")
def _erf_inv(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    from .foreign import ruled

    shape = sizes(equation.outvars[0].aval.shape)
    return ruled(walk, equation, args, lambda b, given: (elementwise(b, shape, given, _inverse_erf),))


def _inverse_erf(b: Builder, xs: Atoms) -> Atom:
    """Newton's method on erfc from a rational start; quadratic, so four steps reach the last bit but in far tails."""
    (x,) = xs
    dtype = x.type.dtype

    def number(value: float) -> Lit:
        return literal(value, dtype)

    size = b.apply("abs", x)
    rest = b.apply("mul", b.apply("sub", number(1), size), b.apply("add", number(1), size))
    log = b.apply("log", rest)
    # Winitzki's start: relative error below 0.4 %.
    a = 0.147
    half = b.apply("add", number(2 / (math.pi * a)), b.apply("mul", number(0.5), log))
    inner = b.apply("sub", b.apply("mul", half, half), b.apply("mul", number(1 / a), log))
    y: Atom = b.apply("sqrt", b.apply("sub", b.apply("sqrt", inner), half))
    target = b.apply("sub", number(1), size)
    for _step in range(4):
        error = b.apply("sub", b.apply("erfc", y), target)
        square = b.apply("mul", y, y)
        step = b.apply("mul", b.apply("mul", error, b.apply("exp", square)), number(math.sqrt(math.pi) / 2))
        y = b.apply("add", y, b.apply("div", step, b.apply("add", number(1), b.apply("mul", y, step))))
    edge = b.apply("select", b.apply("eq", size, number(1)), number(math.inf), y)
    signed = b.apply("copysign", edge, x)
    return b.apply("select", b.apply("gt", size, number(1)), number(math.nan), signed)


@rule("iota")
def _iota(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    dtype, axis = dtype_of(equation.params["dtype"]), int(equation.params["dimension"])
    shape = sizes(equation.outvars[0].aval.shape)
    return (array_of(walk.b, shape, lambda b, index: convert(b, index[axis], dtype)),)


def truth(b: Builder, x: Atom) -> Atom:
    """A predicate, which JAX may give as an integer, as a bool."""
    return x if x.type.dtype is BOOL else boolean(bool(x.value)) if isinstance(x, Lit) else convert(b, x, BOOL)


def as_index(b: Builder, x: Atom) -> Atom:
    """An integer as an index."""
    return convert(b, x, I64)
