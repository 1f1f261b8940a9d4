"""The elementary functions with their references in many digits, where to sample them, and how errors are counted.

Shared by the tests (some thousand points against mpmath) and `tools/accuracy.py` (millions).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

mp.prec = 160


@dataclass(frozen=True, slots=True)
class Span:
    """From low to high: spread evenly, or (`log`) over the orders of magnitude; `signed` adds the negatives."""

    low: float
    high: float
    log: bool = False
    signed: bool = False

    def sample(self, rng: np.random.Generator, count: int) -> np.ndarray:
        if self.log:
            values = np.exp(rng.uniform(np.log(self.low), np.log(self.high), count))
        else:
            values = rng.uniform(self.low, self.high, count)
        return values * rng.choice([-1.0, 1.0], count) if self.signed else values


BITS = "bits"  # every pattern of bits: all magnitudes, subnormal numbers, infinities, NaN
NEAR_QUADRANTS = "near multiples of pi/2"


@dataclass(frozen=True, slots=True)
class Case:
    """`scale` bounds the terms that cancel near a root: there errors count relative to them."""

    reference: Callable[..., Any]
    spans: tuple[Any, ...]
    bound: float = 1.0
    scale: Callable[[Any], Any] | None = None


def _log_abs_gamma(x: Any) -> Any:
    return mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x)))


def _lgamma_terms(x: Any) -> Any:
    return abs(mp.log(mp.pi / abs(x * mp.sinpi(x)))) + abs(mp.loggamma(-x)) if x <= -0.5 else 0


def _digamma_terms(x: Any) -> Any:
    return abs(mp.digamma(1 - x)) + abs(mp.pi * mp.cospi(x) / mp.sinpi(x)) if x < 0 else 0


UNIT = Span(-1.0, 1.0)
SMALL = Span(1e-30, 1.0, log=True, signed=True)
WIDE = Span(1e-30, 1e30, log=True)
WIDE_SIGNED = Span(1e-30, 1e30, log=True, signed=True)
ORDINARY = Span(-10.0, 10.0)
NEAR_ONE = Span(0.9, 1.1)
EXPONENTS = (Span(-746.0, 711.0), Span(-105.0, 90.0), Span(-1.0, 1.0), SMALL, BITS)
ANGLES = (ORDINARY, SMALL, Span(1.0, 1e9, log=True, signed=True), NEAR_QUADRANTS, BITS)

CASES: dict[str, Case] = {
    "exp": Case(mp.exp, EXPONENTS),
    "exp2": Case(lambda x: mpf(2) ** x, (Span(-1080.0, 1030.0), Span(-151.0, 129.0), UNIT, BITS)),
    "expm1": Case(mp.expm1, EXPONENTS, 1.1),
    "log": Case(mp.log, (Span(0.5, 2.0), NEAR_ONE, WIDE, BITS)),
    "log2": Case(lambda x: mp.log(x) / mp.ln2, (Span(0.5, 2.0), NEAR_ONE, WIDE, BITS)),
    "log10": Case(lambda x: mp.log(x) / mp.ln10, (Span(0.5, 2.0), NEAR_ONE, WIDE, BITS)),
    "log1p": Case(mp.log1p, (Span(-1.0, 2.0), SMALL, WIDE, BITS)),
    "sin": Case(mp.sin, ANGLES),
    "cos": Case(mp.cos, ANGLES),
    "tan": Case(mp.tan, ANGLES),
    "asin": Case(mp.asin, (UNIT, SMALL, NEAR_ONE, BITS)),
    "acos": Case(mp.acos, (UNIT, SMALL, NEAR_ONE, BITS)),
    "atan": Case(mp.atan, (ORDINARY, WIDE_SIGNED, BITS)),
    "sinh": Case(mp.sinh, (ORDINARY, SMALL, Span(-712.0, 712.0), Span(-91.0, 91.0), BITS)),
    "cosh": Case(mp.cosh, (ORDINARY, SMALL, Span(-712.0, 712.0), Span(-91.0, 91.0), BITS)),
    "tanh": Case(mp.tanh, (UNIT, ORDINARY, SMALL, Span(-20.0, 20.0), BITS)),
    "asinh": Case(mp.asinh, (ORDINARY, WIDE_SIGNED, BITS)),
    "acosh": Case(mp.acosh, (Span(1.0, 10.0), Span(1.0, 1.01), WIDE, BITS)),
    "atanh": Case(mp.atanh, (UNIT, SMALL, NEAR_ONE, BITS)),
    "cbrt": Case(lambda x: mp.sign(x) * mp.cbrt(abs(x)), (ORDINARY, WIDE_SIGNED, BITS)),
    "erf": Case(mp.erf, (Span(-3.0, 3.0), SMALL, Span(-6.5, 6.5), BITS), 1.2),
    "erfc": Case(
        lambda x: mp.erfc(min(x, mpf(100))), (Span(-3.0, 3.0), SMALL, Span(-7.0, 28.0), Span(0.0, 11.0), BITS), 1.1,
    ),
    "gamma": Case(mp.gamma, (Span(0.0, 3.0), Span(0.0, 35.0), Span(3.0, 172.0), Span(-6.0, 0.0), Span(-180.0, 0.0))),
    "lgamma": Case(
        _log_abs_gamma,
        (Span(0.0, 3.0), NEAR_ONE, Span(1.9, 2.1), Span(0.0, 20.0), Span(16.0, 1e30, log=True), Span(-20.0, 0.0)),
        1.5, _lgamma_terms,
    ),
    "digamma": Case(
        mp.digamma,
        (Span(0.0, 3.0), Span(1.46, 1.463), Span(0.0, 20.0), Span(16.0, 1e30, log=True), Span(-20.0, 0.0)),
        1.5, _digamma_terms,
    ),
}  # fmt: skip

PAIRS: dict[str, Case] = {
    "atan2": Case(mp.atan2, ((ORDINARY, ORDINARY), (WIDE_SIGNED, WIDE_SIGNED), (BITS, BITS)), 1.3),
    "hypot": Case(mp.hypot, ((ORDINARY, ORDINARY), (WIDE, WIDE), (BITS, BITS))),
    "pow": Case(
        mp.power,
        ((Span(0.0, 3.0), Span(-40.0, 40.0)), (NEAR_ONE, Span(-7000.0, 7000.0)), (WIDE, ORDINARY)),
    ),
}


def sample(spans: tuple[Any, ...], count: int, dtype: type, rng: np.random.Generator) -> np.ndarray:
    """`count` arguments from each span, in the format."""
    return np.concatenate([_points(span, count, dtype, rng) for span in spans])


def _points(span: Any, count: int, dtype: type, rng: np.random.Generator) -> np.ndarray:
    if span is BITS:
        size = np.dtype(dtype).itemsize
        return rng.integers(0, 2 ** (8 * size), count, dtype=f"u{size}").view(dtype)
    if span is NEAR_QUADRANTS:
        return (rng.integers(1, 2**20, count) * (np.pi / 2)).astype(dtype)
    return span.sample(rng, count).astype(dtype)


def reference(case: Case, *arguments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The exact values as sums of two doubles, and the size against which errors count."""
    high, low, size = (np.empty(len(arguments[0])) for _ in range(3))
    for k, numbers in enumerate(zip(*arguments, strict=True)):
        exact = [mpf(float(number)) for number in numbers]
        value = case.reference(*exact)
        high[k] = float(value)
        low[k] = float(value - mpf(high[k])) if np.isfinite(high[k]) else 0.0
        size[k] = max(abs(high[k]), float(case.scale(*exact)) if case.scale else 0.0)
    return np.stack([high, low]), size


def errors_in_ulp(got: np.ndarray, exact: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Distances from the exact values in units of the last place of `size`; a right overflow counts as exact."""
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(size)
        unit = np.ldexp(1.0, np.maximum(exponent - 1, info.minexp) - info.nmant)
        distance = np.abs((got.astype(np.float64) - exact[0]) - exact[1]) / unit
        agreed = got == exact[0].astype(got.dtype)
    return np.where(agreed & ~np.isfinite(distance), 0.0, np.where(np.isnan(distance), np.inf, distance))
