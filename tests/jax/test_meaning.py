"""What must not go wrong silently: shared operands, outputs that are inputs, ties, branches, calls, structure."""

import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tapeless.jax as tj
from tapeless.config import config
from tapeless.errors import ArgumentError, DerivativeError
from tapeless.interop.jax import timed

X = jnp.array([0.3, 1.1, -0.7])
Point = namedtuple("Point", "x y")


def same(got: Any, want: Any) -> None:
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert x.shape == y.shape
        assert x.dtype == y.dtype
        if x.dtype == jax.dtypes.float0:
            continue
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


# -- what the published tool gets wrong ---------------------------------------------------------------

TRAPS = {
    "the same operand twice in a product": lambda x: x * x,
    "the same operand twice in a sum": lambda x: x + x,
    "an intermediate twice": lambda x: jnp.sin(x) * jnp.sin(x) + jnp.sin(x),
    "an output that is an input": lambda x: (x, x),
    "an output that is used later": lambda x: (jnp.sin(x), jnp.cos(jnp.sin(x))),
    "one output twice": lambda x: [jnp.exp(x)] * 2,
    "an output that does not vary": lambda x: (x[0], jnp.ones(2), 3.0),
    "asinh": jnp.arcsinh,
    "abs at zero": lambda x: jnp.abs(x - x[0]),
    "a tie of max": lambda x: jnp.maximum(x, x[0]),
    "a tie of max with a number": lambda x: jnp.maximum(x, 0.3),
    "ties in a reduction": lambda x: jnp.max(jnp.stack([x[0], x[0], x[1] - 0.8, x[0]])),
    "relu at zero": lambda x: jax.nn.relu(x - x[0]),
    "clip on a bound": lambda x: jnp.clip(x, 0.3, 1.1),
    "a nested jit": jax.jit(lambda y: jax.jit(jnp.sin)(y) * y),
    "a function called twice": lambda x: [f(x) + f(f(x)) for f in [jax.jit(lambda y: y * jnp.sin(y))]],
    "where and its helpers": lambda x: jnp.where(x > 0, jax.nn.silu(x), jax.nn.softplus(x)) + jnp.var(x),
    "stack and index": lambda x: jnp.stack([x[1], x[0] * x[2]])[::-1],
    "multi-output equations": lambda x: jnp.split(x * x, [1])[1],
    "a scalar multiple": lambda x: 3 * x,
    "a linear map": lambda x: jnp.array([[1.0, 2, 3], [0, 1, 0]]) @ x,
    "prod with a zero": lambda x: jnp.prod(x * jnp.array([1.0, 0, 1])),
    "prod with two zeros": lambda x: jnp.prod(x * jnp.array([0.0, 0, 1])),
    "sort": lambda x: jnp.sort(x) * x,
    "reshape and slice": lambda x: jnp.outer(x, x).reshape(-1)[1:8:2],
    "power with exponent zero": lambda x: (x - x[0]) ** 0 * x,
    "power at base zero": lambda x: (x - x[0]) ** 2.0,
    "norm": lambda x: jnp.linalg.norm(x) * x,
}


@pytest.mark.parametrize("name", TRAPS)
@pytest.mark.parametrize("method", ["auto", "forward", "reverse"])
def test_traps(name: str, method: str) -> None:
    function = TRAPS[name]

    def floats(x: Any) -> Any:
        return jax.tree.map(lambda y: y * 1.0, function(x))

    got, want = jax.jit(lambda x: (tj.jacobian(floats, method=method)(x), jax.jacfwd(floats)(x)))(X)
    same(got, want)


def test_an_arm_that_is_not_taken_has_no_influence() -> None:
    """JAX answers NaN here: the derivative of the other arm is infinite, and infinity times zero is not zero."""

    def safe(x: Any) -> Any:
        return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))

    at = jnp.array([0.0, 4.0])
    assert jnp.isnan(jax.grad(safe)(at)[0])
    same(tj.grad(safe)(at), jnp.array([0.0, 0.25]))


# -- rules of one's own ---------------------------------------------------------------------------------


@jax.custom_jvp
def doubled(x: Any) -> Any:
    return x * 2


doubled.defjvp(lambda primals, tangents: (doubled(*primals), 5 * tangents[0]))


@jax.custom_vjp
def halved(x: Any, y: Any) -> Any:
    return x / 2 + y


halved.defvjp(lambda x, y: (halved(x, y), x), lambda x, seed: (7 * seed * x, seed))


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_custom_jvp_is_kept(method: str) -> None:
    def function(x: Any) -> Any:
        return jnp.sin(doubled(x)) * x

    same(tj.jacobian(function, method=method)(X), jax.jacfwd(function)(X))


def test_custom_vjp_is_kept() -> None:
    def function(x: Any) -> Any:
        return jnp.sum(halved(jnp.sin(x), x) ** 2)

    same(tj.grad(function)(X), jax.grad(function)(X))
    same(tj.jacobian(function)(X), jax.grad(function)(X))
    with pytest.raises(TypeError):
        tj.jacobian(function, method="forward")(X)


def test_rows_of_a_loop_of_unknown_length() -> None:
    """JAX has no reverse mode for it."""

    def function(x: Any) -> Any:
        return lax.while_loop(lambda y: y.sum() < 5, lambda y: y * y + 1, x).sum()

    same(tj.jacobian(function)(X), jax.jacfwd(function)(X))
    same(tj.grad(function)(X), jax.jacfwd(function)(X))
    same(tj.grad(function, backend="native")(X), jax.jacfwd(function)(X))


def test_rules_inside_loops() -> None:
    def function(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda _, y: doubled(jnp.sin(y)), x)

    for method in ("forward", "reverse"):
        same(tj.jacobian(function, method=method)(X), jax.jacfwd(function)(X))


# -- structure ------------------------------------------------------------------------------------------


def tree_function(p: dict[str, Any], q: Point, n: int) -> Any:
    return {"a": p["w"] @ q.x * n, "b": (jnp.sum(q.y) * p["s"], [p["w"][0]])}


def test_pytrees_and_argnums() -> None:
    p = {"w": jnp.arange(6.0).reshape(2, 3), "s": jnp.array(0.5)}
    q = Point(X, jnp.array([2.0]))
    for argnums in (0, 1, (0, 1), (1,), -2):
        same(tj.jacobian(tree_function, argnums)(p, q, 3), jax.jacfwd(tree_function, argnums)(p, q, 3))


def test_aux_and_keywords() -> None:
    def function(x: Any, *, scale: Any) -> Any:
        return jnp.sum(x**2) * scale, {"x": x, "n": jnp.arange(3), "s": jnp.sin(x)}

    for ours, theirs in ((tj.grad, jax.grad), (tj.value_and_grad, jax.value_and_grad), (tj.jacobian, jax.jacrev)):
        same(ours(function, has_aux=True)(X, scale=2.0), theirs(function, has_aux=True)(X, scale=2.0))


def test_jvp_and_vjp() -> None:
    def function(x: Any, n: Any) -> Any:
        return jnp.sin(x) * n, x[0], n + 1

    n = jnp.arange(3)
    dots = (jnp.cos(X), np.zeros(3, jax.dtypes.float0))
    same(tj.jvp(function, (X, n), dots), jax.jvp(function, (X, n), dots))
    (value, back), (want, wanted) = tj.vjp(function, X, n), jax.vjp(function, X, n)
    same(value, want)
    seeds = (X, jnp.array(2.0), np.zeros(3, jax.dtypes.float0))
    same(back(seeds), wanted(seeds))
    value, back, aux = tj.vjp(lambda x: (x**2, x + 1), X, has_aux=True)
    same((back(X), aux), ((2 * X * X,), X + 1))
    value, dot, aux = tj.jvp(lambda x: (x**2, x + 1), (X,), (X,), has_aux=True)
    same((value, dot, aux), (X**2, 2 * X * X, X + 1))


def test_hessian() -> None:
    def function(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) ** 2) * x[0] + jnp.prod(x)

    same(tj.hessian(function)(X), jax.hessian(function)(X))
    tree = {"a": X, "b": jnp.array(2.0)}

    def of_tree(p: dict[str, Any]) -> Any:
        return jnp.sum(jnp.exp(p["a"]) * p["b"] ** 2)

    same(tj.hessian(of_tree)(tree), jax.hessian(of_tree)(tree))


# -- transformations ------------------------------------------------------------------------------------


def wave(x: Any, k: float = 2.0) -> Any:
    return jnp.sin(k * x) * x[::-1]


def test_under_jit_vmap_and_grad() -> None:
    batch = jnp.stack([X, X * 2, X - 1])
    ours, theirs = tj.jacobian(wave), jax.jacfwd(wave)
    same(jax.jit(ours)(X), theirs(X))
    same(jax.vmap(ours)(batch), jax.vmap(theirs)(batch))
    same(jax.jit(jax.vmap(ours, in_axes=1, out_axes=1))(batch), jax.vmap(theirs, in_axes=1, out_axes=1)(batch))
    same(jax.jacfwd(ours)(X), jax.jacfwd(theirs)(X))
    same(jax.jacrev(ours)(X), jax.jacrev(theirs)(X))
    same(tj.jacobian(ours)(X), jax.jacfwd(theirs)(X))
    same(tj.jacobian(theirs)(X), jax.jacfwd(theirs)(X))
    total = jax.vmap(lambda x: jnp.sum(ours(x) ** 2))
    wanted = jax.vmap(lambda x: jnp.sum(theirs(x) ** 2))
    same(tj.grad(lambda b: total(b).sum())(batch), jax.grad(lambda b: wanted(b).sum())(batch))


def test_inside_loops_of_jax() -> None:
    def newton(jacobian: Any) -> Any:
        def step(_: Any, x: Any) -> Any:
            return x - jnp.linalg.solve(jacobian(residual)(x), residual(x))

        return lax.fori_loop(0, 6, step, jnp.array([1.0, 1.0]))

    def residual(x: Any) -> Any:
        return jnp.array([x[0] ** 2 + x[1] - 3, x[0] - x[1] ** 2 + 1])

    same(newton(tj.jacobian), newton(jax.jacfwd))


def test_a_function_that_closes_over_a_tracer() -> None:
    def outer(k: Any) -> Any:
        return tj.jacobian(lambda x: jnp.sin(k * x))(X).sum()

    same(jax.jit(jax.grad(outer))(2.0), jax.grad(lambda k: jax.jacfwd(lambda x: jnp.sin(k * x))(X).sum())(2.0))
    same(jax.vmap(outer)(jnp.arange(3.0)), jnp.stack([outer(float(k)) for k in range(3)]))


def test_measured_choice() -> None:
    jacobian = tj.jacobian(wave, method="measured")
    batch = jnp.stack([X, X * 2])
    same(jacobian(X), jax.jacfwd(wave)(X))
    same(jax.jit(jax.vmap(jacobian))(batch), jax.vmap(jax.jacfwd(wave))(batch))
    same(jax.jacrev(jacobian)(X), jax.jacfwd(jax.jacfwd(wave))(X))
    same(tj.grad(lambda x: wave(x).sum(), method="measured")(X), jax.grad(lambda x: wave(x).sum())(X))
    same(tj.jacobian(wave, method="jax")(X), jax.jacfwd(wave)(X))


def test_measured_choices_are_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alternatives = [lambda x: [jnp.sin(x)], lambda x: [jnp.sin(x * 1.0)]]
    with config(cache=True, cache_dir=str(tmp_path / "cache")):
        monkeypatch.setattr(timed, "_times", lambda programs, _: [2.0, 1.0][: len(programs)])
        assert timed.fastest(alternatives, [X]) == 1
        monkeypatch.setattr(timed, "_times", lambda *_: pytest.fail("it was measured again"))
        assert timed.fastest(alternatives, [X]) == 1


def test_random_numbers_and_other_constants_stay_with_jax() -> None:
    key = jax.random.key(3)

    def noisy(x: Any, key: Any) -> Any:
        noise = jax.random.normal(key, (3,))
        return jnp.sin(x) * noise + jnp.arange(3, dtype=jnp.uint8)

    same(tj.jacobian(noisy)(X, key), jax.jacfwd(noisy)(X, key))
    table = jnp.asarray(np.random.default_rng(0).normal(size=(5000, 3)))
    same(tj.grad(lambda x: jnp.sum(table @ x))(X), table.sum(0))


def test_what_is_unknown_keeps_the_derivative_of_jax_and_says_so() -> None:
    def function(x: Any) -> Any:
        return jax.scipy.special.i1e(x) * x

    with pytest.warns(tj.JaxRuleWarning, match="TP310.*bessel_i1e"):
        same(tj.jacobian(function)(X), jax.jacfwd(function)(X))


def test_complex_numbers_on_the_way() -> None:
    def function(x: Any) -> Any:
        return jnp.abs(jnp.fft.fft(jnp.sin(x))) ** 2 * x

    with pytest.warns(tj.JaxRuleWarning, match="TP310"):
        same(tj.jacobian(function)(X), jax.jacfwd(function)(X))


def test_half_precision_falls_back() -> None:
    x = X.astype(jnp.float16)
    with pytest.warns(tj.JaxRuleWarning, match="float16"):
        same(tj.jacobian(jnp.sin)(x), jax.jacfwd(jnp.sin)(x))


# -- refusals -------------------------------------------------------------------------------------------


def test_mistakes_are_refused() -> None:
    with pytest.raises(DerivativeError, match="int"):
        tj.grad(lambda n: n * 1.0)(jnp.array(3))
    with pytest.raises(DerivativeError, match=r"float64\[3\]"):
        tj.grad(jnp.sin)(X)
    with pytest.raises(DerivativeError, match="argument 2"):
        tj.grad(jnp.sum, argnums=2)(X)
    with pytest.raises(DerivativeError, match="returns floats"):
        tj.jacobian(jnp.argmax)(X)
    with pytest.raises(ArgumentError, match="valid JAX type"):
        tj.grad(jnp.sum)("text")
    with pytest.raises(ArgumentError, match="back end"):
        tj.grad(jnp.sum, backend="fortran")
    with pytest.raises(ArgumentError, match="structure"):
        tj.jvp(jnp.sin, (X,), (X, X))
    with pytest.raises(ArgumentError, match="method"):
        tj.jacobian(jnp.sin, method="guess")


# -- other settings -------------------------------------------------------------------------------------

_SINGLE = """
import jax, jax.numpy as jnp, numpy as np
import tapeless.jax as tj
x = jnp.array([0.3, 1.1, -0.7])
assert x.dtype == jnp.float32
f = lambda x: jnp.sin(x) * jnp.sort(x) + x[jnp.argmax(x)] + jnp.cumsum(x)[jnp.array([0, 2, 2])]
for method in ("auto", "forward", "reverse"):
    got, want = tj.jacobian(f, method=method)(x), jax.jacfwd(f)(x)
    assert got.dtype == want.dtype == jnp.float32
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
got = jax.vmap(tj.jacobian(f, backend="native"))(x[None])
np.testing.assert_allclose(got[0], want, rtol=1e-5, atol=1e-6)
"""

_SHARDED = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
import tapeless.jax as tj
mesh = jax.make_mesh((2,), ("b",), axis_types=(jax.sharding.AxisType.Auto,))
x = jnp.linspace(0.1, 2.0, 24).reshape(8, 3)
f = lambda x: jnp.sin(x) * x[0]
want = jax.vmap(jax.jacfwd(f))(x)
for options in ({}, {"backend": "native"}):
    g = jax.vmap(tj.jacobian(f, **options))
    split = jax.shard_map(g, mesh=mesh, in_specs=P("b"), out_specs=P("b"), check_vma=False)
    np.testing.assert_allclose(split(x), want, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(split)(x), want, rtol=1e-6)
sharded = jax.device_put(x, NamedSharding(mesh, P("b")))
got = jax.jit(jax.vmap(tj.jacobian(f)))(sharded)
assert len(got.sharding.device_set) == 2
np.testing.assert_allclose(got, want, rtol=1e-6)
loss = lambda x: jnp.sum(jnp.tanh(x @ x.T))
np.testing.assert_allclose(jax.jit(tj.grad(loss))(sharded), jax.grad(loss)(x), rtol=1e-5)
"""


@pytest.mark.parametrize("program", [_SINGLE, _SHARDED], ids=["single precision", "two devices"])
def test_in_a_process_of_its_own(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
