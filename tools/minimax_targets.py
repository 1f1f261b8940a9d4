"""What `tools/minimax.py` approximates: a function, an interval, a weight and a degree per format for each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 60


@dataclass(frozen=True, slots=True)
class Target:
    """P of `degrees[format]` approximates `function` on [low, high]; `weight` turns its error into that of the whole."""

    name: str
    note: str
    variable: str
    low: mpf
    high: mpf
    function: Callable[[mpf], mpf]
    weight: Callable[[mpf], mpf]
    degrees: dict[str, int]


LN2_HALF = mp.log(2) / 2 * mpf("1.0001")
QUARTER = (mp.pi / 4 * mpf("1.0001")) ** 2
LOG_Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.0001")) ** 2
EIGHTH = (mp.tan(mp.pi / 8) * mpf("1.0001")) ** 2


def _atanh_tail(z: mpf, terms: int) -> mpf:
    """(2 atanh(s) - 2s - 2s^3/3 - ...) / s^(2 terms + 1) for s = sqrt(z): the series from its term `terms`."""
    s = mp.sqrt(z)
    known = sum(2 * s ** (2 * k + 1) / (2 * k + 1) for k in range(terms))
    return (2 * mp.atanh(s) - known) / s ** (2 * terms + 1)


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
        lambda z: (mp.cosh(mp.sqrt(z)) - 1 - z / 2) / z**2, lambda z: z**2, {"F64": 4, "F32": 1},
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
        lambda z: mp.sqrt(z) ** 3 / mp.asin(mp.sqrt(z)), {"F64": 11, "F32": 4},
    ),
    Target(
        "ATAN", "atan(t) = t + t^3 P(t^2)", "t^2", mpf(0), EIGHTH,
        lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.atan(mp.sqrt(z)), {"F64": 10, "F32": 4},
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
}  # fmt: skip
