"""Compiled code inside JAX: the same results and derivatives as JAX's, under its transformations."""

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeless.jax as tj
from tapeless.errors import UnsupportedFunctionError
from tapeless.interop.jax.handler import handler_text, with_rooms
from tapeless.ir.text import parse_function

from .programs import INPUTS, PROGRAMS, Program

# What has no rule yet, or computes with types that the IR does not have.
REFUSED = {"eigenvalues", "qr", "i0", "i0e", "i1e"}
CHOSEN = [program for k, program in enumerate(PROGRAMS) if k % 4 == 0 and program.name not in REFUSED]


def close(got: Any, want: Any) -> None:
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("program", CHOSEN, ids=lambda program: program.name)
def test_values_and_gradients(program: Program) -> None:
    args = [jnp.asarray(INPUTS[name]) for name in program.arguments]

    def total(*args: Any) -> Any:
        leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(program.function(*args))]
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.floating))

    slope = jax.jacfwd(total) if program.name.startswith("while") else jax.grad(total)

    def both(*args: Any) -> Any:
        ours = tj.compiled(program.function)(*args), tj.grad(total, backend="native")(*args)
        return ours, (program.function(*args), slope(*args))

    close(*jax.jit(both)(*args))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_compiled_is_refused(name: str) -> None:
    (program,) = (program for program in PROGRAMS if program.name == name)
    with pytest.raises(UnsupportedFunctionError, match="machine code"):
        tj.compiled(program.function)(*(jnp.asarray(INPUTS[each]) for each in program.arguments))


def spring(x: Any, k: Any) -> Any:
    d = x[1:] - x[:-1]
    return jnp.sum(jnp.where(d > 1, 0.5 * k * (d - 1) ** 2, 0.0)) + jnp.sin(x)


def test_transformations() -> None:
    x, k = jnp.array([0.0, 1.5, 1.8, 4.0]), jnp.array(2.0)
    batch = jnp.stack([x, x * 2, x - 1])
    ours = tj.compiled(spring)
    close(ours(x, k), spring(x, k))
    close(jax.jacrev(ours, (0, 1))(x, k), jax.jacrev(spring, (0, 1))(x, k))
    close(jax.jacfwd(ours, (0, 1))(x, k), jax.jacfwd(spring, (0, 1))(x, k))
    close(jax.vmap(ours, (0, None))(batch, k), jax.vmap(spring, (0, None))(batch, k))
    ks = jnp.arange(3.0)
    close(jax.vmap(jax.vmap(ours, (None, 0)), (0, None))(batch, ks),
          jax.vmap(jax.vmap(spring, (None, 0)), (0, None))(batch, ks))  # fmt: skip

    def loss(function: Any) -> Any:
        return lambda b, k: jnp.sum(jax.vmap(function, (0, None))(b, k) ** 2)

    close(jax.grad(loss(ours), (0, 1))(batch, k), jax.grad(loss(spring), (0, 1))(batch, k))
    close(jax.hessian(lambda x: ours(x, k).sum())(x), jax.hessian(lambda x: spring(x, k).sum())(x))
    close(jax.jit(jax.vmap(jax.jacrev(ours), (0, None)))(batch, k), jax.vmap(jax.jacrev(spring), (0, None))(batch, k))


def test_derivative_of_a_mapped_derivative() -> None:
    """The adjoint of a linear part that was mapped: parameters that are not mapped get sums."""
    x, batch = jnp.array([0.0, 1.5, 1.8]), jnp.arange(6.0).reshape(2, 3)

    def pushed(function: Any) -> Any:
        def total(x: Any, dot: Any) -> Any:
            return jnp.sum(jax.vmap(lambda y: jax.jvp(function, (y,), (dot,))[1])(batch * x) ** 2)

        return jax.grad(total, (0, 1))

    def wave(x: Any) -> Any:
        return jnp.sin(x) * x[0]

    close(pushed(tj.compiled(wave))(x, x + 1), pushed(wave)(x, x + 1))


def test_jacobians_of_both_back_ends() -> None:
    x = jnp.array([0.3, 1.1, -0.7])

    def function(x: Any) -> Any:
        return jnp.stack([jnp.sin(x[0] * x[1]), x[2] / x[0]]), x[0]

    want = jax.jacfwd(function)(x)
    for method in ("auto", "forward", "reverse", "markowitz"):
        close(tj.jacobian(function, method=method, backend="native")(x), want)
    close(
        tj.hessian(lambda x: function(x)[0].sum(), backend="native")(x), jax.hessian(lambda x: function(x)[0].sum())(x)
    )


def test_scalars_of_all_types() -> None:
    def function(a: Any, b: Any, n: Any, m: Any, q: Any) -> Any:
        return a * 2, b + 1, n + m.astype(n.dtype), m - 1, q & (n > 3), jnp.where(q, a, b.astype(a.dtype))

    args = jnp.float64(1.5), jnp.float32(2.5), jnp.int64(-7), jnp.int32(9), jnp.array(True)
    close(tj.compiled(function)(*args), function(*args))


def test_empty_arrays() -> None:
    def function(x: Any) -> Any:
        return x * 2, jnp.sum(x)

    close(tj.compiled(function)(jnp.zeros((0, 3))), function(jnp.zeros((0, 3))))


def test_the_handler_of_a_function() -> None:
    function = with_rooms(parse_function("def f(x: f32, y: f64[3, 2]) {\n  return y x\n}\n"))
    assert [repr(param.type) for param in function.params] == ["f32", "f64[3, 2]", "f64[3, 2]"]
    assert function.donated == ((2, 0),)
    text = handler_text(function)
    assert "define ptr @handler(ptr %frame)" in text
    assert text.count("store i64 3, ptr") == 2
    assert "call i32 @madvise" not in text


def test_large_results_lie_on_huge_pages() -> None:
    function = with_rooms(parse_function("def f(x: f64[1000, 600]) {\n  return x\n}\n"))
    assert ("call i32 @madvise" in handler_text(function)) == (sys.platform == "linux")
    x = jnp.arange(600_000.0)
    np.testing.assert_array_equal(tj.compiled(lambda x: x * 2)(x), x * 2)
