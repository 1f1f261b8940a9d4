"""Productions of scalar operations, with the bounds of what they give.

The operands are first fitted into an interval where the operation is well conditioned; the tables say
which, and where its results lie. Operations that jump see only exact or shifted operands.
"""

from __future__ import annotations

from ..ir.types import BOOL, F32, F64, I32, I64, Lit, Type, Var
from .bounds import LARGE, fit, settle, shifted
from .scope import FULL, Production, Scope, Value, real

Span = tuple[float, float]

# operation -> where it is well conditioned, where its results lie
UNARY: dict[str, tuple[Span, Span]] = {
    "exp": ((-3, 3), (0.04, 21)), "exp2": ((-4, 4), (0.06, 16)), "expm1": ((-2, 2), (-0.9, 6.4)),
    "log": ((0.1, 64), (-2.4, 4.2)), "log2": ((0.1, 64), (-3.4, 6)), "log10": ((0.1, 64), (-1, 1.9)),
    "log1p": ((-0.8, 60), (-1.7, 4.2)), "sqrt": ((0.05, 64), (0.2, 8)), "cbrt": ((0.05, 64), (0.3, 4)),
    "sin": ((-64, 64), (-1, 1)), "cos": ((-64, 64), (-1, 1)), "tan": ((-1.2, 1.2), (-2.6, 2.6)),
    "asin": ((-0.9, 0.9), (-1.2, 1.2)), "acos": ((-0.9, 0.9), (0.4, 2.8)), "atan": ((-64, 64), (-1.6, 1.6)),
    "sinh": ((-3, 3), (-10.1, 10.1)), "cosh": ((-3, 3), (1, 10.1)), "tanh": ((-64, 64), (-1, 1)),
    "asinh": ((-64, 64), (-5, 5)), "acosh": ((1.1, 64), (0.4, 4.9)), "atanh": ((-0.9, 0.9), (-1.5, 1.5)),
    "erf": ((-64, 64), (-1, 1)), "erfc": ((-3, 3), (0, 2)), "lgamma": ((0.5, 20), (-0.2, 40)),
    "gamma": ((0.5, 4.5), (0.8, 11.7)), "digamma": ((0.5, 20), (-2, 3)),
}  # fmt: skip

BINARY: dict[str, tuple[Span, Span, Span]] = {
    "div": ((-64, 64), (0.3, 8), (-214, 214)), "pow": ((0.2, 4), (-2, 2), (0.04, 25)),
    "hypot": ((-64, 64), (0.1, 64), (0.1, 91)), "atan2": ((-64, 64), (0.1, 64), (-1.6, 1.6)),
}  # fmt: skip

JUMPS = ("floor", "ceil", "trunc", "rint")
TESTS = ("lt", "le", "gt", "ge", "eq", "ne")


def arithmetic(s: Scope) -> bool:
    """add, sub, mul of floats or integers, and their fused form."""
    dtype = s.any_type()
    if dtype is BOOL:
        return False
    op = s.dice.pick(("add", "sub", "mul", "fma" if dtype.is_float else "add"))
    x, y = s.scalar(dtype), s.scalar(dtype)
    if op == "fma":
        z = s.scalar(dtype)
        lo, hi = _product(x, y)
        settle(s, s.b.apply("fma", x.atom, y.atom, z.atom), lo + z.lo, hi + z.hi)
        return True
    match op:
        case "add":
            lo, hi = x.lo + y.lo, x.hi + y.hi
        case "sub":
            lo, hi = x.lo - y.hi, x.hi - y.lo
        case _:
            lo, hi = _product(x, y)
    settle(s, s.b.apply(op, x.atom, y.atom), lo, hi)
    return True


def _product(x: Value, y: Value) -> Span:
    corners = (x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi)
    return min(corners), max(corners)


def elementary(s: Scope) -> bool:
    """An elementary function of one float."""
    op = s.dice.pick(tuple(UNARY))
    span, image = UNARY[op]
    x = fit(s, s.scalar(s.float_type()), *span)
    settle(s, s.b.apply(op, x.atom), *image)
    return True


def elementary_of_two(s: Scope) -> bool:
    """A function of two floats, away from its singularities."""
    op = s.dice.pick(tuple(BINARY))
    left, right, image = BINARY[op]
    dtype = s.float_type()
    x, y = fit(s, s.scalar(dtype), *left), fit(s, s.scalar(dtype), *right)
    settle(s, s.b.apply(op, x.atom, y.atom), *image)
    return True


def extremum(s: Scope) -> bool:
    """min, max and the like, which move values without rounding; wild operands are welcome."""
    dtype = s.any_type()
    if dtype is BOOL:
        return False
    op = s.dice.pick(("min", "max", "fmin", "fmax") if dtype.is_float else ("min", "max"))
    x, y = _maybe_wild(s, s.scalar(dtype)), s.scalar(dtype)
    s.define(s.b.apply(op, x.atom, y.atom), min(x.lo, y.lo), max(x.hi, y.hi), exact=x.exact and y.exact)
    return True


def _maybe_wild(s: Scope, value: Value) -> Value:
    return (s.dice.chance(0.4) and s.find(lambda v: v.wild and v.type == value.type)) or value


def sign_change(s: Scope) -> bool:
    """neg, abs, sign, copysign."""
    dtype = s.any_type()
    if dtype is BOOL:
        return False
    op = s.dice.pick(("neg", "abs", "sign", "copysign" if dtype.is_float else "neg"))
    x = s.scalar(dtype)
    most = max(abs(x.lo), abs(x.hi))
    match op:
        case "neg":
            s.define(s.b.apply("neg", x.atom), -x.hi, -x.lo, exact=x.exact)
        case "abs":
            s.define(s.b.apply("abs", x.atom), 0, most, exact=x.exact)
        case "sign":
            s.define(s.b.apply("sign", shifted(s, x).atom), -1, 1)
        case _:
            y = shifted(s, s.scalar(dtype))
            s.define(s.b.apply("copysign", x.atom, y.atom), -most, most, exact=x.exact)
    return True


def rounding(s: Scope) -> bool:
    """floor, ceil, trunc, rint, mod and floordiv of floats; their results are exact."""
    dtype = s.float_type()
    x = shifted(s, s.scalar(dtype))
    if s.dice.chance(0.3):
        step = s.dice.uniform(0.5, 2.5) * s.dice.pick((-1, 1))
        divisor = real(dtype, step)
        if s.dice.chance(0.5):
            s.define(s.b.apply("mod", x.atom, divisor), min(0, step), max(0, step), exact=False)
        else:
            s.define(s.b.apply("floordiv", x.atom, divisor), -130, 130)
        return True
    s.define(s.b.apply(s.dice.pick(JUMPS), x.atom), x.lo - 1, x.hi + 1)
    return True


def integer(s: Scope) -> bool:
    """Division, shifts, bits and powers of integers, wrapping included."""
    dtype = s.dice.pick((I64, I64, I32))
    op = s.dice.pick(("floordiv", "mod", "and", "or", "xor", "not", "shl", "shr", "lshr", "ipow"))
    x, full = s.scalar(dtype), FULL[dtype]
    match op:
        case "not":
            s.define(s.b.apply("not", x.atom), -x.hi - 1, -x.lo - 1)
        case "shl" | "shr" | "lshr":
            count = fit(s, s.scalar(dtype), 0, 70)
            s.define(s.b.apply(op, x.atom, count.atom), *full)
        case "ipow":
            power = fit(s, s.scalar(dtype), 0, 5)
            s.define(s.b.apply("ipow", x.atom, power.atom), *full)
        case "mod" | "floordiv":
            y = s.scalar(dtype)
            most = max(abs(y.lo), abs(y.hi)) if op == "mod" else max(abs(x.lo), abs(x.hi))
            s.define(s.b.apply(op, x.atom, y.atom), -most, most)
        case _:
            s.define(s.b.apply(op, x.atom, s.scalar(dtype).atom), *full)
    return True


def mixing(s: Scope) -> bool:
    """A step of a linear congruential generator: wraps on purpose."""
    x = s.scalar(I64)
    grown = s.b.apply("mul", x.atom, Lit(6364136223846793005, I64))
    moved = s.b.apply("add", grown, Lit(1442695040888963407, I64))
    fit(s, s.define(moved, *FULL[I64]), 0, s.dice.between(1, 40))
    return True


def comparison(s: Scope) -> bool:
    """A bool from two scalars. Rounded floats meet only literals of random digits."""
    s.define(condition(s), 0, 1)
    return True


def condition(s: Scope) -> Var:
    """A comparison that no rounding can decide, made here."""
    dtype = s.any_type()
    x = _maybe_wild(s, s.scalar(dtype))
    room = 1.0 if x.hi - x.lo < 1e-3 else 0.0  # a rounded constant is next to its own value
    y = s.scalar(dtype, exact=True) if x.exact else s.literal(dtype, max(x.lo - room, -LARGE), min(x.hi + room, LARGE))
    op = s.dice.pick(TESTS if x.exact else TESTS[:4])
    return s.b.apply(op, x.atom, y.atom)


def logic(s: Scope) -> bool:
    """and, or, xor, not of bools."""
    op = s.dice.pick(("and", "or", "xor", "not"))
    x, y = s.scalar(BOOL), s.scalar(BOOL)
    s.define(s.b.apply(op, x.atom) if op == "not" else s.b.apply(op, x.atom, y.atom), 0, 1)
    return True


def classification(s: Scope) -> bool:
    """isnan, isinf, isfinite."""
    x = _maybe_wild(s, s.scalar(s.float_type()))
    s.define(s.b.apply(s.dice.pick(("isnan", "isinf", "isfinite")), x.atom), 0, 1)
    return True


def selection(s: Scope) -> bool:
    """select of two scalars of one type."""
    dtype = s.any_type()
    x, y = s.scalar(dtype), s.scalar(dtype)
    chosen = s.b.apply("select", s.scalar(BOOL).atom, x.atom, y.atom)
    s.define(chosen, min(x.lo, y.lo), max(x.hi, y.hi), exact=x.exact and y.exact)
    return True


def conversion(s: Scope) -> bool:
    """convert between any two scalar types."""
    source, target = s.any_type(), s.any_type()
    x = s.scalar(source)
    if source.is_float and not target.is_float:
        x = shifted(s, x)
    lo, hi = (0, 1) if target is BOOL else (x.lo, x.hi)
    if target is I32 and source is I64:
        x = fit(s, x, -1000, 1000)
        lo, hi = x.lo, x.hi
    if target.is_int and source.is_float:
        lo, hi = lo - 1, hi + 1
    narrowed = source is F64 and target is F32  # long numbers do not round there
    settle(s, s.b.apply("convert", x.atom, attrs=(target,)), lo, hi, exact=x.exact and not narrowed)
    return True


def bits(s: Scope) -> bool:
    """The bits of a float, and the float with its sign flipped by them."""
    dtype = s.float_type()
    x = s.scalar(dtype, exact=True)
    if not x.exact:
        return False
    as_int, top = (I64, -(2**63)) if dtype is F64 else (I32, -(2**31))
    word = s.b.apply("bitcast", x.atom, attrs=(as_int,))
    s.define(word, *FULL[as_int])
    flipped = s.b.apply("xor", word, Lit(top, as_int))
    s.define(s.b.apply("bitcast", flipped, attrs=(dtype,)), -x.hi, -x.lo)
    return True


def precision(s: Scope) -> bool:
    """Rounding to single precision and back, where the program has both."""
    if len(s.world.floats) < 2:
        return False
    x = s.scalar(F64)
    narrow = s.b.apply("convert", x.atom, attrs=(F32,))
    s.define(narrow, x.lo, x.hi, exact=False)
    s.define(s.b.apply("convert", narrow, attrs=(F64,)), x.lo, x.hi, exact=False)
    return True


def truth(s: Scope) -> bool:
    """A run-time condition; it holds, unless this program is one of the few that must fail."""
    if s.world.may_fault and s.dice.chance(0.4):
        s.world.may_fault = False
        _failing_check(s)
        return True
    x = s.scalar(s.float_type())
    kind = s.dice.pick(("assert", "domain", "singular", "nonneg", "nonempty", "not_nan", "nonzero", "equal"))
    match kind:
        case "not_nan":
            s.b.check(kind, x.atom)
        case "nonneg" | "nonempty" | "nonzero" | "equal":
            n = fit(s, s.scalar(I64), 1, 30)
            s.b.check(kind, n.atom, *((n.atom,) if kind == "equal" else ()))
        case _:
            s.b.check(kind, s.b.apply("lt", x.atom, real(x.dtype, x.hi + 1)))
    return True


def _failing_check(s: Scope) -> None:
    """Fails where a counter in scope reaches some value, else at once."""
    i = s.find(lambda v: v.below is not None and v.type == Type(I64))
    kind = s.dice.pick(("assert", "domain", "nonzero", "bounds", "raise"))
    stop = Lit(s.dice.between(0, 3), I64)
    if i is None:
        i = fit(s, s.scalar(I64), 0, 3)
    match kind:
        case "bounds":
            s.b.check(kind, i.atom, stop)
        case "nonzero":
            s.b.check(kind, s.b.apply("sub", i.atom, stop))
        case _:
            s.b.check(kind, s.b.apply("ne", i.atom, stop), info="RuntimeError: stop" if kind == "raise" else "")


SCALARS = (
    Production("arithmetic", 8, arithmetic),
    Production("elementary", 5, elementary),
    Production("elementary_of_two", 2, elementary_of_two),
    Production("extremum", 2, extremum),
    Production("sign_change", 1.5, sign_change),
    Production("rounding", 1, rounding),
    Production("integer", 2, integer),
    Production("mixing", 1, mixing),
    Production("comparison", 3, comparison),
    Production("logic", 1, logic),
    Production("classification", 0.5, classification),
    Production("selection", 2, selection),
    Production("conversion", 2, conversion),
    Production("bits", 0.5, bits),
    Production("precision", 1, precision),
    Production("truth", 0.6, truth),
)
