"""Derivatives of small JAX programs beside JAX's own, in all modes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeless.jax as tj

from .programs import INPUTS, PROGRAMS, Program


def floats(result: Any) -> list[Any]:
    """The leaves of a result that have derivatives."""
    leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(result)]
    return [leaf for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.floating)]


def close(got: Any, want: Any, rtol: float, atol: float) -> None:
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert x.shape == y.shape
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=rtol, atol=atol)


def arguments(program: Program, dtype: Any) -> list[Any]:
    arrays = [jnp.asarray(INPUTS[name]) for name in program.arguments]
    return [x.astype(dtype) if jnp.issubdtype(x.dtype, jnp.floating) else x for x in arrays]


@pytest.mark.filterwarnings("ignore::tapeless.jax.JaxRuleWarning")
@pytest.mark.parametrize("program", PROGRAMS[::6], ids=lambda program: program.name)
def test_jacobians_in_single_precision(program: Program) -> None:
    args = arguments(program, jnp.float32)

    def outputs(*args: Any) -> list[Any]:
        return floats(program.function(*args))

    def both(*args: Any) -> Any:
        return tj.jacobian(outputs)(*args), jax.jacfwd(outputs)(*args)

    close(*jax.jit(both)(*args), 2e-4, 2e-4)


@pytest.mark.filterwarnings("ignore::tapeless.jax.JaxRuleWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_jacobians_and_gradients(program: Program) -> None:
    args = arguments(program, jnp.float64)
    has_loop = program.name.startswith("while")

    def outputs(*args: Any) -> list[Any]:
        return floats(program.function(*args))

    def total(*args: Any) -> Any:
        return sum((k + 1) * jnp.sum(jnp.sin(y)) for k, y in enumerate(outputs(*args)))

    def ours(*args: Any) -> Any:
        # Columns and rows in turn: compiling takes most of the time, and gradients are rows anyway.
        method = "forward" if has_loop or PROGRAMS.index(program) % 2 else "reverse"
        jacobians = [tj.jacobian(outputs)(*args), tj.jacobian(outputs, method=method, backend="jax")(*args)]
        return jacobians, tj.value_and_grad(total)(*args)

    def theirs(*args: Any) -> Any:
        jacobian = jax.jacfwd(outputs)(*args)
        slope = (total(*args), jax.jacfwd(total)(*args)) if has_loop else jax.value_and_grad(total)(*args)
        return [jacobian, jacobian], slope

    got, want = jax.jit(lambda *args: (ours(*args), theirs(*args)))(*args)
    close(got, want, 1e-9, 1e-10)
