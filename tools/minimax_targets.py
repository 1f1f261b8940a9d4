"""What `tools/minimax.py` approximates: a function, an interval, a weight and a degree per format for each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 60


@dataclass(frozen=True, slots=True)
class Target:
    """P approximates `function` on [low, high]; `weight` turns its error into that of the whole."""

    name: str
    note: str
    variable: str
    low: mpf
    high: mpf
    function: Callable[[mpf], mpf]
    weight: Callable[[mpf], mpf]
    degrees: dict[str, int]  # by format
    first_in_two: bool = False  # the lowest coefficient is given as a sum of two


LN2_HALF = mp.log(2) / 2 * mpf("1.0001")
QUARTER = (mp.pi / 4 * mpf("1.0001")) ** 2
LOG_Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.0001")) ** 2
ERFC_CENTRE = mpf(4)
FIRST_ROOT = mp.findroot(mp.digamma, mpf("1.46"))


def _atanh_tail(z: mpf, terms: int) -> mpf:
    """(2 atanh(s) - 2s - 2s^3/3 - ...) / s^(2 terms + 1) for s = sqrt(z): the series from its term `terms`."""
    s = mp.sqrt(z)
    known = sum(2 * s ** (2 * k + 1) / (2 * k + 1) for k in range(terms))
    return (2 * mp.atanh(s) - known) / s ** (2 * terms + 1)


def _erfc_factor(q: mpf) -> mpf:
    x = ERFC_CENTRE * (1 + q) / (1 - q)
    return (x + 1) * mp.erfc(x) * mp.exp(x * x)


def _stirling(z: mpf) -> mpf:
    x = 1 / mp.sqrt(z)
    if x > 10**5:
        return mpf(1) / 12 - z / 360
    return x * (mp.loggamma(x) - ((x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2))


def _digamma_tail(z: mpf) -> mpf:
    x = 1 / mp.sqrt(z)
    if x > 10**5:
        return mpf(1) / 12 - z / 120
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / z


def _off_roots(t: mpf, exponent: int) -> mpf:
    """The argument that belongs to t, moved by less than any rounding where it would divide zero by zero."""
    x = mpf(2) ** exponent * (t + mpf(1.5))
    near = [root for root in (1, 2) if abs(x - root) < mpf("1e-20")]
    return near[0] + mpf("1e-20") if near else x


def _lgamma_piece(t: mpf, exponent: int) -> mpf:
    x = _off_roots(t, exponent)
    factor = {-1: x - 1, 0: (x - 1) * (x - 2), 1: x - 2}.get(exponent, mpf(1))
    return mp.loggamma(x) / factor


def _digamma_piece(t: mpf, exponent: int) -> mpf:
    x = _off_roots(t, exponent)
    return mp.digamma(x) / (x - FIRST_ROOT if exponent == 0 else 1)


TABLES: tuple[Target, ...] = (
    Target(
        "EXP", "exp(r) = 1 + r + r^2 P(r)", "r", -LN2_HALF, LN2_HALF,
        lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: r**2 / mp.exp(r), {"F64": 9, "F32": 4},
    ),
    Target(
        "SINH", "sinh(r) = r + r^3 P(r^2)", "r^2", mpf(0), LN2_HALF**2,
        lambda z: (mp.sinh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, lambda z: z, {"F64": 4, "F32": 2},
    ),
    Target(
        "COSH", "cosh(r) = 1 + r^2/2 + r^4 P(r^2)", "r^2", mpf(0), LN2_HALF**2,
        lambda z: (mp.cosh(mp.sqrt(z)) - 1 - z / 2) / z**2, lambda z: z**2, {"F64": 3, "F32": 1},
    ),
    Target(
        "LOG", "log((1+s)/(1-s)) = 2s + s^3 P(s^2)", "s^2", mpf(0), LOG_Z,
        lambda z: _atanh_tail(z, 1), lambda z: z / 2, {"F64": 6, "F32": 3},
    ),
    Target(
        "LOG_LONG", "log((1+s)/(1-s)) = 2s + 2s^3/3 + s^5 P(s^2)", "s^2", mpf(0), LOG_Z,
        lambda z: _atanh_tail(z, 2), lambda z: z**2 / 2, {"F64": 7},
    ),
    Target(
        "SIN", "sin(r) = r + r^3 P(r^2)", "r^2", mpf(0), QUARTER,
        lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.sin(mp.sqrt(z)), {"F64": 5, "F32": 2},
    ),
    Target(
        "COS", "cos(r) = 1 - r^2/2 + r^4 P(r^2)", "r^2", mpf(0), QUARTER,
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / mp.cos(mp.sqrt(z)), {"F64": 5, "F32": 2},
    ),
    Target(
        "ASIN", "asin(x) = x + x^3 P(x^2)", "x^2", mpf(0), mpf(0.25),
        lambda z: (mp.asin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.asin(mp.sqrt(z)), {"F64": 12, "F32": 4},
    ),
    Target(
        "ATAN", "atan(t) = t + t^3 P(t^2)", "t^2", mpf(0), mpf(0.25),
        lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.atan(mp.sqrt(z)), {"F64": 12, "F32": 5},
    ),
    Target(
        "CBRT", "m^(-1/3) = P(m)", "m", mpf(1), mpf(2), lambda m: m ** (mpf(-1) / 3), lambda m: m ** (mpf(1) / 3),
        {"F64": 5, "F32": 3},
    ),
    Target(
        "ERF", "erf(x) = x + x P(x^2)", "x^2", mpf(0), mpf(1),
        lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), {"F64": 12, "F32": 6},
    ),
    Target(
        "ERFC", "(x + 1) exp(x^2) erfc(x) = P(q), x = 4 (1 + q)/(1 - q)", "q", mpf(-1), mpf(24) / 32,
        _erfc_factor, lambda q: 1 / _erfc_factor(q), {"F64": 22, "F32": 12}, True,
    ),
    Target(
        "STIRLING", "lgamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + P(1/x^2)/x", "1/x^2", mpf(0), mpf(1) / 64,
        _stirling, lambda _: mpf(1), {"F64": 7, "F32": 3},
    ),
    Target(
        "DIGAMMA", "digamma(x) = log x - 1/(2x) - P(1/x^2)/x^2", "1/x^2", mpf(0), mpf(1) / 256,
        _digamma_tail, lambda z: z, {"F64": 6, "F32": 2},
    ),
    *(
        Target(
            f"LGAMMA_{k}", f"lgamma(x) = {factor}P(t), x = 2^{k - 1} (t + 3/2)", "t", mpf(-0.5), mpf(0.5),
            lambda t, k=k: _lgamma_piece(t, k - 1), lambda t, k=k: 1 / _lgamma_piece(t, k - 1),
            {"F64": 20, "F32": 10}, True,
        )
        for k, factor in enumerate(("(x - 1) ", "(x - 1) (x - 2) ", "(x - 2) ", "", ""))
    ),
    *(
        Target(
            f"DIGAMMA_{k}", f"digamma(x) = {factor}P(t), x = 2^{k} (t + 3/2)", "t", mpf(-0.5), mpf(0.5),
            lambda t, k=k: _digamma_piece(t, k), lambda t, k=k: 1 / _digamma_piece(t, k), {"F64": 21, "F32": 10}, True,
        )
        for k, factor in enumerate(("(x - x0) ", "", "", ""))
    ),
    Target(
        "GAMMA", "gamma(x) = P(x - 5/2)", "x - 5/2", mpf(-0.5), mpf(0.5),
        lambda t: mp.gamma(t + 2.5), lambda t: 1 / mp.gamma(t + 2.5), {"F64": 16, "F32": 8}, True,
    ),
)  # fmt: skip

FULL: dict[str, Sequence[int]] = {"F64": (53, 53, 53), "F32": (24, 24, 24)}

# name -> (value, bits of each part per format, note)
CONSTANTS: dict[str, tuple[Callable[[], mpf], dict[str, Sequence[int]], str]] = {
    "LN2": (lambda: mp.log(2), FULL, "log 2 in parts"),
    "LN2_SHORT": (
        lambda: mp.log(2), {"F64": (41, 53, 53), "F32": (15, 24, 24)},
        "log 2 in parts of which the first times an exponent is exact",
    ),
    "INV_LN2": (lambda: 1 / mp.log(2), FULL, "1 / log 2"),
    "INV_LN10": (lambda: 1 / mp.log(10), FULL, "1 / log 10"),
    "LOG10_2": (lambda: mp.log10(2), {"F64": (41, 53, 53), "F32": (15, 24, 24)}, "log10 2, the first part short"),
    "PI_2": (lambda: mp.pi / 2, FULL, "pi / 2"),
    "INV_PI_2": (lambda: 2 / mp.pi, FULL, "2 / pi"),
    "PI": (lambda: +mp.pi, FULL, "pi"),
    "THREE_PI_4": (lambda: 3 * mp.pi / 4, FULL, "3 pi / 4"),
    "TWO_THIRDS": (lambda: mpf(2) / 3, FULL, "2 / 3"),
    "LOG_2PI_HALF": (lambda: mp.log(2 * mp.pi) / 2, FULL, "log(2 pi) / 2"),
    "LOG_PI": (lambda: mp.log(mp.pi), FULL, "log pi"),
    "DIGAMMA_ROOT": (lambda: FIRST_ROOT, FULL, "the positive root x0 of digamma"),
}  # fmt: skip
