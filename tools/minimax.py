"""Makes `src/tapeless/backend/elementary/coefficients.py`: polynomials of least error, and constants in parts.

    python tools/minimax.py > src/tapeless/backend/elementary/coefficients.py
    python tools/minimax.py EXP ERF        # only these, for a look at their errors

Each table is the polynomial P of its degree for which the largest weighted error |w(t) (P(t) - g(t))| over an interval
is least; w is chosen so that this is the error of the whole function relative to its value. It is
found by Remez' exchange on a fixed fine grid, in 60-digit arithmetic. Coefficients are then rounded to the format one
after the other, lowest degree first, fitting those left anew after the first few, because the lowest matter most.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minimax_targets import CONSTANTS, TABLES, Target
from mpmath import mp, mpf

mp.dps = 60
PRECISION = {"F64": 53, "F32": 24}
Values = list[mpf]


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients, lowest degree first, and the largest weighted error they leave."""

    coefficients: tuple[float, ...]
    error: mpf


def main(names: Sequence[str]) -> None:
    chosen = [target for target in TABLES if not names or target.name in names]
    if not names:
        print(HEADER)
        for name, (value, shape, note) in CONSTANTS.items():
            print(_constant(name, value, shape, note))
        print(_two_over_pi())
    for target in chosen:
        print(_table(target), flush=True)


def fit(target: Target, fmt: str) -> Fit:
    """The polynomial of least error with coefficients of the format: the best of several ways of rounding."""
    degree = target.degrees[fmt]
    grid = _grid(target.low, target.high, 24 * (degree + 2))
    wanted = [target.function(t) for t in grid]
    weights = [abs(target.weight(t)) for t in grid]
    powers = [[t**k for t in grid] for k in range(degree + 1)]
    bits = [[PRECISION[fmt]] * (2 if k == 0 and target.first_in_two else 1) for k in range(degree + 1)]
    free = _remez(wanted, weights, powers)
    fits: list[Fit] = []
    for refitted in range(4):
        # Where 0 lies inside the interval, powers from t on all vanish there, and a new fit need not exist.
        with contextlib.suppress(ArithmeticError):
            fits.append(_round(wanted, weights, powers, bits, free, refitted))
    return min(fits, key=lambda found: found.error)


def _round(
    wanted: Values, weights: Values, powers: list[Values], bits: list[list[int]], free: Values, refitted: int
) -> Fit:
    """Rounds one coefficient after the other; after each of the first `refitted`, those left are fitted anew."""
    found: list[float] = []
    rest = wanted
    for k, power in enumerate(powers):
        pieces = parts(free[0], bits[k])
        found += pieces
        rest = [r - p * mp.fsum(pieces) for r, p in zip(rest, power, strict=True)]
        again = k < refitted and k + 1 < len(powers)
        free = _remez(rest, weights, powers[k + 1 :]) if again else free[1:]
    return Fit(tuple(found), max(abs(r * w) for r, w in zip(rest, weights, strict=True)))


def _grid(low: mpf, high: mpf, count: int) -> Values:
    """Points denser towards both ends, as the zeros of Chebyshev polynomials are; none is exactly zero."""
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle + half * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]
    return [t if abs(t) > mpf("1e-16") else mpf("1e-16") for t in points]


def _remez(wanted: Values, weights: Values, basis: list[Values]) -> Values:
    """Coefficients over `basis` (functions given on the grid) whose weighted error levels out."""
    count, size = len(basis) + 1, len(wanted)
    chosen = [round((size - 1) * k / (count - 1)) for k in range(count)]
    for _ in range(60):
        rows = [[b[i] for b in basis] + [(-1) ** k / weights[i]] for k, i in enumerate(chosen)]
        solved = mp.lu_solve(mp.matrix(rows), mp.matrix([wanted[i] for i in chosen]))
        coefficients = [solved[k] for k in range(count - 1)]
        errors = [
            weights[i] * (mp.fdot((c, b[i]) for c, b in zip(coefficients, basis, strict=True)) - wanted[i])
            for i in range(size)
        ]
        level = abs(solved[count - 1])
        if max(abs(e) for e in errors) <= level * mpf("1.005"):
            break
        chosen = _exchange(errors, count)
    return coefficients


def _exchange(errors: Values, count: int) -> list[int]:
    """The largest error of each stretch of one sign; of these, `count` neighbouring ones."""
    peaks: list[int] = []
    for i, error in enumerate(errors):
        if peaks and (error > 0) == (errors[peaks[-1]] > 0):
            if abs(error) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        del peaks[0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1]
    if len(peaks) < count:
        raise ArithmeticError("the error changes sign too seldom: the degree is too high for the precision")
    return peaks


def parts(value: mpf, bits: Sequence[int]) -> list[float]:
    """The value as a sum of floats, each rounded to so many bits of what the ones before left."""
    found: list[float] = []
    for count in bits:
        with mp.workprec(count):
            head = +value
        found.append(float(head))
        value = value - head
    return found


# -- printing -----------------------------------------------------------------------------------

HEADER = '''"""Polynomials of least error and constants in parts. Written by `tools/minimax.py`: do not edit.

A table holds coefficients from the lowest degree up, for each format. The comment gives the interval of the variable
and the largest error of the whole function that the polynomial leaves, relative to the function's value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...ir.types import F32, F64, DType

Table = Mapping[DType, tuple[float, ...]]
'''


def _constant(name: str, value: Callable[[], mpf], shape: dict[str, Sequence[int]], note: str) -> str:
    rows = [f"    {fmt}: ({', '.join(repr(p) for p in parts(value(), bits))},),\n" for fmt, bits in shape.items()]
    return f"# {note}\n{name}: Final[Table] = {{\n{''.join(rows)}}}"


def _two_over_pi() -> str:
    """Enough bits for the largest exponent, written so that they fit the page."""
    with mp.workprec(2000):
        digits = f"{int(mp.floor(2 / mp.pi * mpf(2) ** 1280)):x}"
    rows = [f'    "{digits[k : k + 100]}"' for k in range(0, len(digits), 100)]
    note = "# floor(2^1280 2/pi)"
    return "\n".join([note, "TWO_OVER_PI_BITS: Final = int(", *rows, "    , 16,", ")"])


def _table(target: Target) -> str:
    fits = {fmt: fit(target, fmt) for fmt in PRECISION if fmt in target.degrees}
    errors = ", ".join(f"2^{float(mp.log(f.error, 2)):.1f}" for f in fits.values())
    low, high = float(target.low), float(target.high)
    lines = [f"# {target.note}; {target.variable} in [{low:.6g}, {high:.6g}]; errors {errors}"]
    lines.append(f"{target.name}: Final[Table] = {{")
    for fmt, found in fits.items():
        lines += [f"    {fmt}: (", *_wrapped(found.coefficients), "    ),"]
    return "\n".join([*lines, "}"])


def _wrapped(numbers: Sequence[float]) -> list[str]:
    texts = [f"{number!r}," for number in numbers]
    return ["        " + " ".join(texts[k : k + 4]) for k in range(0, len(texts), 4)]


if __name__ == "__main__":
    main(sys.argv[1:])
