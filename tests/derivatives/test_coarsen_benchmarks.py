"""The programs of `bench/coarsen` at small sizes: values and gradients, coarsened and not, beside complex steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeless as tp

ROOT = Path(__file__).parents[2]
SMALL: dict[str, tuple[int, ...]] = {
    "bgd": (7, 30), "brachistochrone": (6,), "spring": (6,), "hmc": (8, 2), "cart_environment": (3,),
    "cart_policy": (2,), "ragdoll": (5, 12),
}  # fmt: skip
KERNELS = ("position Jacobian", "pose Jacobian", "cost gradient", "cost Hessian")


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])


def module(name: str) -> Any:
    return import_module(f"bench.coarsen.{name}")


def agrees(family: str, arguments: tuple[Any, ...], coarsen: bool) -> None:
    expected = module("with_numpy").__dict__[family](*arguments).derivative()
    with tp.config(coarsen=coarsen):
        calls = module("with_tapeless").__dict__[family](*arguments)
        found = calls.arrays(calls.derivative())
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("coarsen", [True, False])
@pytest.mark.parametrize("family", SMALL)
def test_values_and_gradients(family: str, coarsen: bool) -> None:
    agrees(family, getattr(module("problems"), family)(*SMALL[family]), coarsen)


def test_descent_that_ends_early() -> None:
    agrees("bgd", module("problems").bgd(7, 500, 0.1), coarsen=True)


def test_the_gradient_of_descent_does_not_depend_on_the_number_of_rounds() -> None:
    count: Callable[..., Any] = module("counts").count
    few, many = (count("bgd", module("problems").bgd(7, steps), {}).operations for steps in (50, 400))
    assert many < 1.5 * few


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_the_arm(kernel: str) -> None:
    points = np.random.default_rng(1).uniform(-2, 2, (3, 6))
    call, figures = module("arm").ours(kernel, points, coarsen=True)
    np.testing.assert_allclose(call(), module("arm_reference").reference(kernel, points), rtol=1e-8, atol=1e-10)
    assert figures["operations"] > 50
