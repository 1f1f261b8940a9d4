"""Largest errors of the elementary functions over millions of points, as a table for `docs/elementary.md`.

    python tools/accuracy.py [-n 1000000] [name ...]

f64 is judged by the 80-bit functions of the C library (x86-64 Linux with glibc), whose errors are below 0.005 units of
f64; digamma, which it lacks, by mpmath. f32 is judged by our own f64. `-n` is the number of points per function and
format, spread over the spans of `tests/unit/backend/elementary_cases.py`.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
from functools import cache
from pathlib import Path

import numpy as np
from mpmath import mp, mpf

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "unit" / "backend"))

from elementary_cases import CASES, PAIRS, Case, sample
from vector_jit import apply, load

C_NAMES = {"gamma": "tgammal"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1_000_000)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    np.seterr(all="ignore")
    print("| function | points | f64: largest | at | f32: largest | at |\n| --- | --- | --- | --- | --- | --- |")
    for name, case in {**CASES, **PAIRS}.items():
        if not options.names or name in options.names:
            count = -(-options.n // len(case.spans))
            double = worst(name, case, count, np.float64)
            single = worst(name, case, count, np.float32)
            print(f"| {name} | {count * len(case.spans):,} | {double} | {single} |", flush=True)


def worst(name: str, case: Case, count: int, dtype: type) -> str:
    """The largest error in units of the last place, and its arguments."""
    arguments = points(name, case, count, dtype)
    got = apply(name, *arguments, width=8 if dtype is np.float64 else 16)
    wide = [argument.astype(np.float64) for argument in arguments]
    exact = exact_values(name, *wide) if dtype is np.float64 else apply(name, *wide, width=8).astype(np.longdouble)
    errors = in_ulp(got, exact, terms(name, wide[0]))
    k = int(errors.argmax())
    return f"{errors[k]:.3f} | {', '.join(repr(float(argument[k])) for argument in arguments)}"


def points(name: str, case: Case, count: int, dtype: type) -> list[np.ndarray]:
    rng = np.random.default_rng(2026)
    if name in PAIRS:
        return [sample(tuple(pair[k] for pair in case.spans), count, dtype, rng) for k in range(2)]
    return [sample(case.spans, count, dtype, rng)]


def exact_values(name: str, *arguments: np.ndarray) -> np.ndarray:
    """In 80 bits."""
    if name == "digamma":
        return np.array([_by_mpmath(x) for x in arguments[0]], np.longdouble)
    out = np.empty(len(arguments[0]), np.longdouble)
    inputs = [argument.astype(np.longdouble) for argument in arguments]
    pointers = [array.ctypes.data for array in (out, *inputs)]
    library_loop(C_NAMES.get(name, f"{name}l"), len(inputs))(*pointers, len(out))
    return out


def _by_mpmath(x: float) -> np.longdouble:
    with mp.workprec(100):
        value = mp.digamma(mpf(float(x)))
        high = float(value)
        return np.longdouble(high) + np.longdouble(float(value - high))


@cache
def library_loop(symbol: str, arity: int) -> ctypes._CFuncPtr:
    """A native loop over 80-bit numbers that calls a function of the C library."""
    operands = ", ".join(f"x86_fp80 %x{k}" for k in range(arity))
    loads = "\n".join(
        f"  %p{k} = getelementptr x86_fp80, ptr %in{k}, i64 %i\n  %x{k} = load x86_fp80, ptr %p{k}"
        for k in range(arity)
    )
    inputs = "".join(f", ptr %in{k}" for k in range(arity))
    text = f"""declare x86_fp80 @{symbol}({", ".join(["x86_fp80"] * arity)})
define void @kernel(ptr %out{inputs}, i64 %n) {{
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
{loads}
  %y = call x86_fp80 @{symbol}({operands})
  %q = getelementptr x86_fp80, ptr %out, i64 %i
  store x86_fp80 %y, ptr %q
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
"""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (1 + arity), ctypes.c_int64)(load(text))


def terms(name: str, x: np.ndarray) -> np.ndarray | float:
    """The size of the terms that cancel near the negative roots of lgamma and digamma; else 0."""
    if name == "lgamma":
        reflected = np.abs(np.log(np.pi / np.abs(x * np.sin(np.pi * x)))) + np.abs(apply("lgamma", -x, width=8))
        return np.where(x <= -0.5, reflected, 0.0)
    if name == "digamma":
        reflected = np.abs(apply("digamma", 1.0 - x, width=8)) + np.abs(np.pi / np.tan(np.pi * x))
        return np.where(x < 0.0, reflected, 0.0)
    return 0.0


def in_ulp(got: np.ndarray, exact: np.ndarray, scale: np.ndarray | float) -> np.ndarray:
    """Distances in units of the last place; a NaN or overflow that should be one counts as exact."""
    info = np.finfo(got.dtype)
    _, exponent = np.frexp(np.maximum(np.abs(exact), scale))
    unit = np.ldexp(np.longdouble(1), np.maximum(exponent - 1, info.minexp) - info.nmant)
    distance = np.abs(got.astype(np.longdouble) - exact) / unit
    rounded = exact.astype(got.dtype)
    agreed = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    distance = np.where(np.isnan(distance), np.inf, distance)
    return np.where(agreed & ~np.isfinite(distance), 0.0, distance).astype(float)


if __name__ == "__main__":
    main()
