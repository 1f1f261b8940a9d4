"""Elementary functions against mpmath: errors in units of the last place, special values, huge arguments, widths."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

from .elementary_cases import CASES, PAIRS, errors_in_ulp, reference, sample
from .vector_jit import apply

INF, NAN = np.inf, np.nan
FORMATS = [pytest.param(np.float64, 8, id="f64"), pytest.param(np.float32, 16, id="f32")]
POINTS = 400


def widths_agree(name: str, width: int, *arguments: np.ndarray) -> np.ndarray:
    """The result in wide vectors, which scalar code and narrower vectors must give bit by bit."""
    wide = apply(name, *arguments, width=width)
    for other in (1, 4):
        assert np.array_equal(wide, apply(name, *arguments, width=other), equal_nan=True)
        zero = wide == 0.0
        assert np.array_equal(np.signbit(wide[zero]), np.signbit(apply(name, *arguments, width=other)[zero]))
    return wide


@pytest.mark.parametrize(("dtype", "width"), FORMATS)
@pytest.mark.parametrize("name", CASES)
def test_error_is_within_the_bound(name: str, dtype: type, width: int) -> None:
    case, rng = CASES[name], np.random.default_rng(7)
    x = sample(case.spans, POINTS, dtype, rng)
    got = widths_agree(name, width, x)
    real = np.isfinite(x) & in_domain(name, x)
    exact, size = reference(case, x[real])
    worst = errors_in_ulp(got[real], exact, size)
    assert worst.max() <= case.bound, (x[real][worst.argmax()], got[real][worst.argmax()])
    outside = np.isfinite(x) & ~in_domain(name, x)
    assert np.isnan(got[outside]).all()


def in_domain(name: str, x: np.ndarray) -> np.ndarray:
    if name in ("log", "log2", "log10"):
        return x > 0
    if name == "log1p":
        return x > -1
    if name in ("asin", "acos"):
        return np.abs(x) <= 1
    if name == "atanh":
        return np.abs(x) < 1
    return x >= 1 if name == "acosh" else np.ones(len(x), bool)


@pytest.mark.parametrize(("dtype", "width"), FORMATS)
@pytest.mark.parametrize("name", PAIRS)
def test_error_of_two_operands(name: str, dtype: type, width: int) -> None:
    case, rng = PAIRS[name], np.random.default_rng(8)
    x, y = (sample(tuple(pair[k] for pair in case.spans), POINTS, dtype, rng) for k in range(2))
    got = widths_agree(name, width, x, y)
    real = np.isfinite(x) & np.isfinite(y)
    exact, size = reference(case, x[real], y[real])
    worst = errors_in_ulp(got[real], exact, size)
    assert worst.max() <= case.bound, (x[real][worst.argmax()], y[real][worst.argmax()])


SPECIAL = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (1000.0, INF), (-1000.0, 0.0)],
    "exp2": [(0.0, 1.0), (10.0, 1024.0), (-3.0, 0.125), (INF, INF), (-INF, 0.0), (2000.0, INF), (-2000.0, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (-1e5, -1.0), (1e5, INF)],
    "log": [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN)],
    "log2": [(1.0, 0.0), (8.0, 3.0), (0.0, -INF), (INF, INF), (-1.0, NAN)],
    "log10": [(1.0, 0.0), (1000.0, 3.0), (0.0, -INF), (INF, INF), (-1.0, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (-2.0, NAN)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.0, np.pi / 2), (-1.0, -np.pi / 2), (1.5, NAN), (INF, NAN)],
    "acos": [(1.0, 0.0), (-1.0, np.pi), (0.0, np.pi / 2), (1.5, NAN), (-INF, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, np.pi / 2), (-INF, -np.pi / 2), (1.0, np.pi / 4)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (1e4, INF)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (-1e4, INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (1e4, 1.0)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "acosh": [(1.0, 0.0), (INF, INF), (0.5, NAN), (-INF, NAN)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (27.0, 3.0), (-8.0, -2.0), (INF, INF), (-INF, -INF)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (30.0, 1.0)],
    "erfc": [(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (100.0, 0.0)],
    "gamma": [
        (0.0, INF), (-0.0, -INF), (1.0, 1.0), (5.0, 24.0), (-1.0, NAN), (-7.0, NAN), (INF, INF), (-INF, NAN),
        (200.0, INF), (-200.5, -0.0), (-201.5, 0.0),
    ],
    "lgamma": [(0.0, INF), (-0.0, INF), (1.0, 0.0), (2.0, 0.0), (-3.0, INF), (INF, INF), (-INF, INF)],
    "digamma": [(0.0, -INF), (-0.0, INF), (-2.0, NAN), (INF, INF), (-INF, NAN)],
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "width"), FORMATS)
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str, dtype: type, width: int) -> None:
    x, expected = (np.array(column, dtype) for column in zip(*SPECIAL[name], (NAN, NAN), strict=True))
    got = widths_agree(name, width, x)
    assert np.array_equal(got, expected, equal_nan=True), (x, got)
    ordered = ~np.isnan(expected)
    assert np.array_equal(np.signbit(got[ordered]), np.signbit(expected[ordered])), (x, got)


@pytest.mark.parametrize(("dtype", "width"), FORMATS)
@pytest.mark.parametrize(("name", "peer"), [("pow", np.power), ("atan2", np.arctan2), ("hypot", np.hypot)])
def test_special_operands_agree_with_c99(name: str, peer: np.ufunc, dtype: type, width: int) -> None:
    numbers = np.array([0.0, 1.0, 2.0, 3.0, 0.5, 2.5, 1e30, 1e-30, 2.0**30 + 1.0, INF, NAN], dtype)
    numbers = np.concatenate([numbers, -numbers])
    x, y = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
    got = widths_agree(name, width, x, y)
    with np.errstate(all="ignore"):
        expected = peer(x, y)
    assert np.allclose(got, expected, rtol=3 * np.finfo(dtype).eps, atol=0.0, equal_nan=True)
    ordered = ~np.isnan(expected)
    assert np.array_equal(np.signbit(got[ordered]), np.signbit(expected[ordered]))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_closest_to_a_quadrant(name: str) -> None:
    # 6381956970095103 * 2^797 is the double nearest to a multiple of pi/2, at a distance of 2^-61.
    x = np.array([6381956970095103 * 2.0**797, 2.0**1023, np.finfo(float).max, 1e22, 2.0**30, 2.0**30 + 0.25])
    x = np.concatenate([x, -x])
    with mp.workprec(1300):
        exact, size = reference(CASES[name], x)
    assert errors_in_ulp(widths_agree(name, 8, x), exact, size).max() <= 1.0


@pytest.mark.parametrize(("dtype", "width"), FORMATS)
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("gamma", "lgamma", "digamma", "exp2")])
def test_neighbours_of_thresholds(name: str, dtype: type, width: int) -> None:
    """Arguments where a definition changes its way, and the ends of the range."""
    info = np.finfo(dtype)
    marks = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 6.0, 27.226, 709.7827, 88.72284, 745.1332, 103.97, 22.18, 2.0**16, 2.0**30]
    marks += [info.tiny, info.smallest_subnormal * 3, info.max, 2.0**-28, 2.0**-54, 2.0**-14, 0.34657359]
    centre = np.array(marks, dtype)
    with np.errstate(all="ignore"):
        x = np.concatenate([np.nextafter(centre, dtype(0)), centre, np.nextafter(centre, dtype(INF))])
    x = np.concatenate([x, -x])
    x = x[np.isfinite(x) & in_domain(name, x)]
    with mp.workprec(1300 if name in ("sin", "cos", "tan") else 160):
        exact, size = reference(CASES[name], x)
    worst = errors_in_ulp(widths_agree(name, width, x), exact, size)
    assert worst.max() <= CASES[name].bound, x[worst.argmax()]


@pytest.mark.parametrize(
    ("triple", "cpu", "features", "width"),
    [
        ("x86_64-unknown-linux-gnu", "haswell", "", 4),
        ("aarch64-unknown-linux-gnu", "neoverse-n1", "", 2),
        ("nvptx64-nvidia-cuda", "sm_90", "+ptx80", 1),
    ],
)
def test_compiles_for_other_processors(triple: str, cpu: str, features: str, width: int) -> None:
    script = Path(__file__).parent / "other_targets.py"
    command = [sys.executable, str(script), triple, cpu, features, str(width)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 10_000


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scalar_sines_and_cosines_are_those_of_lanes(dtype: type) -> None:
    """Scalar code computes both at once."""
    x = np.array([0.0, -0.0, 0.3, -2.0, 4.0, 7.0, -1e5, 2.0**16, 2.0**30, -(2.0**31), 1e22, INF, NAN], dtype)
    x = np.concatenate([x, np.linspace(-10, 10, 499).astype(dtype)])
    for name in ("sin", "cos"):
        widths_agree(name, 8, x)
