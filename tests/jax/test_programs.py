"""Derivatives of small JAX programs beside JAX's own, in all modes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeless.jax as tj

from .programs import INPUTS, PROGRAMS, Program

# Nothing is known of these primitives: they say so.
OPAQUE = {"eigenvalues", "qr", "i0", "i0e", "i1e", "log_ndtr", "fft", "searchsorted", "interp", "interp_place"}


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
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_jacobians_and_gradients(program: Program) -> None:
    args = arguments(program, jnp.float64)
    has_loop = program.name in ("while_loop", "while_data")

    def outputs(*args: Any) -> list[Any]:
        return floats(program.function(*args))

    def total(*args: Any) -> Any:
        return sum((k + 1) * jnp.sum(jnp.sin(y)) for k, y in enumerate(outputs(*args)))

    def ours(*args: Any) -> Any:
        methods = ("auto", "forward") if has_loop else ("auto", "forward", "reverse")
        return [tj.jacobian(outputs, method=method)(*args) for method in methods], tj.value_and_grad(total)(*args)

    def theirs(*args: Any) -> Any:
        jacobian = jax.jacfwd(outputs)(*args)
        slope = (total(*args), jax.jacfwd(total)(*args)) if has_loop else jax.value_and_grad(total)(*args)
        return [jacobian] * (2 if has_loop else 3), slope

    got, want = jax.jit(lambda *args: (ours(*args), theirs(*args)))(*args)
    close(got, want, 1e-9, 1e-10)


def test_all_is_known_but_what_is_said_to_be_opaque() -> None:
    assert {p.name for p in PROGRAMS} >= OPAQUE - {"fft"}
