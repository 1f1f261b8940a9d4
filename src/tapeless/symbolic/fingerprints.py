"""Values of straight-line code at a random point, in two prime fields: equal fingerprints mean equal functions.

Sums, products, quotients, choices and constants are computed in the fields; sine and cosine of one angle are a point of
the unit circle; every other operation is a number of its own, the same for the same operands. Two different expressions
agree by chance with a probability of about their degree over 2^60 (Schwartz and Zippel), so that what agrees is an
identity.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite

from ..ir.types import Lit

FIELDS = (2147483647, 2147483629)
Print = tuple[int, int]

ZERO: Print = (0, 0)
ONE: Print = (1, 1)


def constant(literal: Lit) -> Print:
    """A literal; its value is a fraction exactly."""
    if not isfinite(literal.value):
        return opaque("const", repr(literal))
    exact = Fraction(literal.value)
    first, second = (exact.numerator * pow(exact.denominator, -1, p) % p for p in FIELDS)
    return first, second


def opaque(op: str, *operands: object) -> Print:
    """The value of an operation that the fields do not have: any number, the same for the same operands."""
    digest = hashlib.blake2b(repr((op, operands)).encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8]) % FIELDS[0], int.from_bytes(digest[8:]) % FIELDS[1]


def choice(condition: str, yes: Print, no: Print) -> Print:
    """phi(condition, yes, no) = no + x (yes - no), where x is any number: what holds for all holds for 1 and for 0."""
    first, second = (
        (n + x * (y - n)) % p for x, y, n, p in zip(opaque("phi", condition), yes, no, FIELDS, strict=True)
    )
    return first, second


def apply(op: str, attrs: object, args: Sequence[Print]) -> Print:
    """The fingerprint of an operation on values with these fingerprints."""
    compute = _FIELD.get(op)
    if compute is not None and not (op == "div" and 0 in args[1]):
        first, second = (compute(p, *(arg[k] for arg in args)) for k, p in enumerate(FIELDS))
        return first, second
    if op in ("sin", "cos"):
        return _on_the_circle(op, args[0])
    return opaque(op, attrs, *args)


def _add(p: int, x: int, y: int) -> int:
    return (x + y) % p


def _sub(p: int, x: int, y: int) -> int:
    return (x - y) % p


def _mul(p: int, x: int, y: int) -> int:
    return x * y % p


def _neg(p: int, x: int) -> int:
    return -x % p


def _div(p: int, x: int, y: int) -> int:
    return x * pow(y, -1, p) % p


_FIELD: dict[str, Callable[..., int]] = {"add": _add, "sub": _sub, "mul": _mul, "scale": _mul, "neg": _neg, "div": _div}


def _on_the_circle(op: str, angle: Print) -> Print:
    """2 t / (1 + t^2) or (1 - t^2) / (1 + t^2), for a t that the angle chooses; odd and even as they ought to be."""
    positive = angle[0] <= FIELDS[0] // 2
    t = opaque("angle", angle if positive else negated(angle))
    # A prime that is 3 modulo 4 has no square root of -1: the denominator is not zero. One of ours may be otherwise.
    over = [pow(1 + x * x, -1, p) if (1 + x * x) % p else 0 for x, p in zip(t, FIELDS, strict=True)]
    if op == "cos":
        x, y = ((1 - x * x) * o % p for x, o, p in zip(t, over, FIELDS, strict=True))
        return x, y
    x, y = (2 * x * o % p for x, o, p in zip(t, over, FIELDS, strict=True))
    return (x, y) if positive else negated((x, y))


def negated(print_: Print) -> Print:
    return -print_[0] % FIELDS[0], -print_[1] % FIELDS[1]


def unsigned(print_: Print) -> tuple[Print, int]:
    """The fingerprint that stands for a value and its negative, and the sign of this one."""
    return (print_, 1) if print_[0] <= FIELDS[0] // 2 else (negated(print_), -1)
