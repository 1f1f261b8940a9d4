"""Identities of scalar operations that hold for every bit pattern, NaN, infinities and signed zeros included.

`x * 1 = x` is one; `x + 0 = x` is not (it turns -0 into +0), while `x + (-0) = x` is. Integers form a ring
modulo 2^64, so there reassociation is exact. The only exceptions are small powers: `x ** 2`, `x ** 3`,
`x ** 4` and `x ** 0.5` become products and roots, whose error is below that of the power function.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..ir.core import Apply
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Lit, Type, Var, boolean, zero
from .fold import fold
from .rewrite import Rewriter, Rule, literal
from .signs import never_zero

Result = Atom | Apply | None
RULES: dict[str, Rule] = {}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


def scalar_rule(*ops: str) -> Callable[[Rule], Rule]:
    """Register a rule for scalar operations; constants are folded first."""

    def register(rule: Rule) -> Rule:
        def with_folding(r: Rewriter, e: Apply, type: Type) -> Result:
            folded = fold(e, type)
            return rule(r, e, type) if folded is None else folded

        for op in ops:
            RULES[op] = with_folding
        return rule

    return register


def is_value(atom: Atom, value: float) -> bool:
    """Is this the literal `value`, the sign of zero included?"""
    if not isinstance(atom, Lit):
        return False
    return atom.value == value and math.copysign(1, float(atom.value)) == math.copysign(1, value)


def _same(x: Atom, y: Atom) -> bool:
    return x is y or (type(x) is Var and type(y) is Var and x.name == y.name) or (type(x) is Lit and x == y)


def _literal_last(rule: Rule) -> Rule:
    """Put the literal of a commutative operation second, so that rules need to look there only."""

    def swapped(r: Rewriter, e: Apply, type: Type) -> Result:
        x, y = e.args
        return Apply(e.op, (y, x)) if isinstance(x, Lit) else rule(r, e, type)

    return swapped


@scalar_rule("add")
@_literal_last
def _add(r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    if type.dtype.is_float:
        if is_value(y, -0.0):
            return x
        if negated := r.operation(y, "neg"):
            return Apply("sub", (x, negated.args[0]))
        return None
    if is_value(y, 0):
        return x
    for x_, y_ in ((x, y), (y, x)):
        difference = r.operation(x_, "sub")
        if difference and _same(difference.args[1], y_):
            return difference.args[0]
    return _merge_constants(r, e, type)


def _merge_constants(r: Rewriter, e: Apply, type: Type) -> Result:
    """(x + c) + d = x + (c + d), for integers."""
    x, y = e.args
    inner = r.operation(x, "add")
    if inner is None or not isinstance(y, Lit) or not isinstance(inner.args[1], Lit):
        return None
    total = fold(Apply("add", (inner.args[1], y)), type)
    return None if total is None else Apply("add", (inner.args[0], total))


@scalar_rule("sub")
def _sub(r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    if type.dtype.is_float:
        if is_value(y, 0.0):
            return x
        if negated := r.operation(y, "neg"):
            return Apply("add", (x, negated.args[0]))
        return None
    if _same(x, y):
        return zero(type.dtype)
    if isinstance(y, Lit):
        opposite = fold(Apply("neg", (y,)), type)
        return None if opposite is None else Apply("add", (x, opposite))
    if total := r.operation(x, "add"):
        for kept, gone in ((total.args[0], total.args[1]), (total.args[1], total.args[0])):
            if _same(gone, y):
                return kept
    if (total := r.operation(y, "add")) and _same(total.args[0], x):
        return Apply("neg", (total.args[1],))
    return None


@scalar_rule("mul")
@_literal_last
def _mul(r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    if is_value(y, 1):
        return x
    if is_value(y, -1):
        return Apply("neg", (x,))
    if type.dtype.is_float:
        return None
    if is_value(y, 0):
        return y
    inner = r.operation(x, "mul")
    if inner and isinstance(y, Lit) and isinstance(inner.args[1], Lit):
        product = fold(Apply("mul", (inner.args[1], y)), type)
        return None if product is None else Apply("mul", (inner.args[0], product))
    return None


@scalar_rule("div")
def _div(_r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    if is_value(y, 1):
        return x
    if is_value(y, -1):
        return Apply("neg", (x,))
    if isinstance(y, Lit) and _exact_reciprocal(float(y.value), type.dtype):
        return Apply("mul", (x, Lit(1.0 / float(y.value), type.dtype)))
    return None


def _exact_reciprocal(value: float, dtype: DType) -> bool:
    mantissa, exponent = math.frexp(value)
    return abs(mantissa) == 0.5 and abs(exponent) < (1000 if dtype is F64 else 120)


@scalar_rule("neg")
def _neg(r: Rewriter, e: Apply, type: Type) -> Result:
    if inner := r.operation(e.args[0], "neg"):
        return inner.args[0]
    if not type.dtype.is_float and (inner := r.operation(e.args[0], "sub")):
        return Apply("sub", (inner.args[1], inner.args[0]))
    return None


@scalar_rule("floordiv")
def _floordiv(_r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    return x if type.dtype.is_int and is_value(y, 1) else None


@scalar_rule("mod")
def _mod(_r: Rewriter, e: Apply, type: Type) -> Result:
    return zero(type.dtype) if type.dtype.is_int and is_value(e.args[1], 1) else None


@scalar_rule("pow")
def _pow(r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    match literal(y):
        case 0:
            return Lit(1.0, type.dtype)
        case 1:
            return x
        case -1:
            return Apply("div", (Lit(1.0, type.dtype), x))
        case 2:
            return Apply("mul", (x, x))
        case 3:
            return Apply("mul", (r.apply("mul", x, x), x))
        case 4:
            square = r.apply("mul", x, x)
            return Apply("mul", (square, square))
        case 0.5:
            # pow(-0.0, 0.5) is +0.0 and pow(-inf, 0.5) is inf, unlike the square root.
            root = r.apply("sqrt", r.apply("add", x, Lit(0.0, type.dtype)))
            below = r.apply("eq", x, Lit(-math.inf, type.dtype))
            return Apply("select", (below, Lit(math.inf, type.dtype), root))
        case _:
            return None


@scalar_rule("ipow")
def _ipow(r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    match literal(y):
        case 0:
            return Lit(1, type.dtype)
        case 1:
            return x
        case 2:
            return Apply("mul", (x, x))
        case 3:
            return Apply("mul", (r.apply("mul", x, x), x))
        case _:
            return None


@scalar_rule("min", "max")
@_literal_last
def _extreme(r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    if _same(x, y):
        return x
    if is_value(y, neutral_of(e.op, type.dtype)):
        return x
    if (inner := r.operation(x, e.op)) and any(_same(arg, y) for arg in inner.args):
        return x
    return None


def neutral_of(op: str, dtype: DType) -> float:
    """The neutral element of an associative operation; -0.0 is that of float addition."""
    if op in ("min", "max"):
        if dtype.is_float:
            return math.inf if op == "min" else -math.inf
        bits = 64 if dtype is I64 else 32
        return (1 << (bits - 1)) - 1 if op == "min" else -(1 << (bits - 1))
    if op in ("fmin", "fmax"):
        return math.nan
    table = {"add": -0.0 if dtype.is_float else 0, "mul": 1, "or": 0, "xor": 0, "and": 1 if dtype is BOOL else -1}
    return table[op]


def neutral_literal(op: str, dtype: DType) -> Lit:
    """The same as a literal."""
    value = neutral_of(op, dtype)
    return Lit(bool(value) if dtype is BOOL else float(value) if dtype.is_float else int(value), dtype)


@scalar_rule("and", "or", "xor")
@_literal_last
def _bits(_r: Rewriter, e: Apply, type: Type) -> Result:
    x, y = e.args
    if _same(x, y):
        return zero(type.dtype) if e.op == "xor" else x
    if isinstance(y, Lit) and int(y.value) == int(neutral_of(e.op, type.dtype)):
        return x
    if isinstance(y, Lit) and type.dtype is BOOL and e.op != "xor":
        return y
    return None


@scalar_rule("not")
def _not(r: Rewriter, e: Apply, type: Type) -> Result:
    if inner := r.operation(e.args[0], "not"):
        return inner.args[0]
    if type.dtype is not BOOL:
        return None
    inner = r.definition(e.args[0])
    if isinstance(inner, Apply) and inner.op in _NEGATED:
        exact = not inner.args[0].type.dtype.is_float or inner.op in ("eq", "ne")
        return Apply(_NEGATED[inner.op], inner.args) if exact else None
    return None


@scalar_rule("eq", "ne", "lt", "le", "gt", "ge")
def _compare(r: Rewriter, e: Apply, _type: Type) -> Result:
    x, y = e.args
    if _same(x, y) and not x.type.dtype.is_float:
        return boolean(e.op in ("eq", "le", "ge"))
    if isinstance(x, Lit):
        return Apply(_MIRRORED[e.op], (y, x))
    if x.type.dtype is BOOL and isinstance(y, Lit) and e.op in ("eq", "ne"):
        return x if (e.op == "eq") == bool(y.value) else Apply("not", (x,))
    if e.op == "eq" and x.type.dtype.is_float and literal(y) == 0 and never_zero(r.defs, x):
        return boolean(False)
    return None


@scalar_rule("select")
def _select(r: Rewriter, e: Apply, type: Type) -> Result:
    c, x, y = e.args
    if isinstance(c, Lit):
        return x if c.value else y
    if _same(x, y):
        return x
    if inner := r.operation(c, "not"):
        return Apply("select", (inner.args[0], y, x))
    if type.dtype is BOOL:
        return _select_bool(r, c, x, y)
    for position, arm in ((1, x), (2, y)):
        if (inner := r.operation(arm, "select")) and _same(inner.args[0], c):
            arms = (c, inner.args[1], y) if position == 1 else (c, x, inner.args[2])
            return Apply("select", arms)
    return None


def _select_bool(r: Rewriter, c: Atom, x: Atom, y: Atom) -> Result:
    if is_value(x, 1) and is_value(y, 0):
        return c
    if is_value(x, 0) and is_value(y, 1):
        return Apply("not", (c,))
    if is_value(y, 0):
        return Apply("and", (c, x))
    if is_value(x, 1):
        return Apply("or", (c, y))
    if is_value(x, 0):
        return Apply("and", (r.apply("not", c), y))
    if is_value(y, 1):
        return Apply("or", (r.apply("not", c), x))
    return None


@scalar_rule("convert")
def _convert(r: Rewriter, e: Apply, type: Type) -> Result:
    (x,) = e.args
    if x.type.dtype is type.dtype:
        return x
    inner = r.operation(x, "convert")
    if inner is None:
        return None
    start, middle = inner.args[0].type.dtype, x.type.dtype
    return Apply("convert", inner.args, e.attrs) if (start, middle) in _LOSSLESS else None


# Conversions that lose nothing: what follows them may start from their operand. An i32 that goes through f64
# comes back unharmed, and rounds to f32 once either way.
_LOSSLESS = {(BOOL, d) for d in (I32, I64, F32, F64)} | {(I32, I64), (I32, F64), (F32, F64)}


@scalar_rule("bitcast")
def _bitcast(r: Rewriter, e: Apply, type: Type) -> Result:
    inner = r.operation(e.args[0], "bitcast")
    return inner.args[0] if inner and inner.args[0].type.dtype is type.dtype else None


@scalar_rule("scale")
def _scale(_r: Rewriter, e: Apply, _type: Type) -> Result:
    factor, value = e.args
    if isinstance(factor, Lit) and math.isfinite(factor.value):
        return Apply("mul", (factor, value))
    return Apply("mul", (factor, value)) if isinstance(value, Lit) and value.value != 0 else None


def _only_fold(_r: Rewriter, _e: Apply, _type: Type) -> Result:
    return None


scalar_rule(
    "abs", "sign", "fmin", "fmax", "fma", "copysign", "shl", "shr", "lshr", "sqrt", "cbrt", "exp", "exp2", "expm1",
    "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "hypot", "erf", "erfc", "lgamma", "gamma", "digamma", "floor", "ceil", "trunc", "rint",
    "isnan", "isinf", "isfinite",
)(_only_fold)  # fmt: skip
