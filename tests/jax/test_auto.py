"""Where machine code is chosen without being asked for, and where it must not be."""

import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeless.jax as tj

X = jnp.array([0.3, 1.1, -0.7])


def wave(x: Any) -> Any:
    return jnp.sin(x) * x[0]


def is_machine_code(function: Any, *args: Any) -> bool:
    return "@tapeless_" in jax.jit(function).lower(*args).as_text()


@pytest.mark.parametrize(
    ("function", "x", "chosen"),
    [
        (wave, X, True),
        (lambda x: jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), X, True),
        (lambda x: jnp.tanh(x * x[0]), jnp.linspace(0.1, 1.0, 40), False),
        (lambda x: jnp.sum(jnp.tanh(x * x[0])), jnp.linspace(0.1, 1.0, 40), True),
        (lambda x: jnp.sum(jnp.tanh(x * x[0])), jnp.linspace(0.1, 1.0, 400), False),
        (lambda x: jax.lax.fori_loop(0, 50, lambda k, y: y * jnp.sin(y) + k, x), X, True),
        (lambda x: jax.lax.fori_loop(0, 500, lambda k, y: y * jnp.sin(y) + k, x), X, False),
        (lambda x: jnp.sort(x) * x, X, False),
    ],
    ids=[
        "straight-line code", "a branch", "many derivatives", "small arrays", "an array that is not", "a short loop",
        "a long loop", "an equation that is left to JAX",
    ],
)  # fmt: skip
def test_little_on_a_cpu_is_machine_code(function: Any, x: Any, chosen: bool) -> None:
    assert is_machine_code(tj.jacobian(function), x) == chosen
    assert is_machine_code(jax.vmap(tj.jacobian(function)), x[None]) == chosen
    assert not is_machine_code(tj.jacobian(function, backend="jax"), x)


def test_other_platforms_and_exported_programs_have_none() -> None:
    traced = jax.jit(tj.jacobian(wave)).trace(X)
    assert "@tapeless_" in traced.lower().as_text()
    assert "@tapeless_" not in traced.lower(lowering_platforms=("tpu",)).as_text()
    exported = jax.export.export(jax.jit(tj.jacobian(wave)), platforms=("cpu", "cuda"))(X)
    assert "@tapeless_" not in exported.mlir_module()
    np.testing.assert_allclose(exported.call(X), jax.jacfwd(wave)(X), rtol=1e-14)
    with pytest.raises(NotImplementedError, match="native"):
        jax.jit(tj.jacobian(wave, backend="native")).trace(X).lower(lowering_platforms=("tpu",))


def test_the_name_says_what_is_computed() -> None:
    def names(function: Any) -> set[str]:
        text = jax.jit(tj.jacobian(function)).lower(X).as_text()
        return {word.split("(")[0] for word in text.split() if word.startswith("@tapeless_")}

    assert names(wave) == names(lambda y: jnp.sin(y) * y[0]) != names(lambda y: jnp.cos(y) * y[0])


def test_it_is_seen_through_by_further_derivatives() -> None:
    """Warnings are errors here: nothing of it is opaque."""
    want = jax.jacfwd(jax.jacfwd(wave))(X)
    for inner in (tj.jacobian(wave), tj.jacobian(wave, method="measured"), tj.jacobian(wave, backend="native")):
        np.testing.assert_allclose(tj.jacobian(inner)(X), want, rtol=1e-13)
    np.testing.assert_allclose(tj.jacobian(tj.compiled(wave))(X), jax.jacfwd(wave)(X), rtol=1e-13)


_SPLIT = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
import tapeless.jax as tj
mesh = jax.make_mesh((2,), ("b",), axis_types=(jax.sharding.AxisType.Auto,))
x = jnp.linspace(0.1, 2.0, 24).reshape(8, 3)
f = lambda x: jnp.sin(x) * x[0]
loss = lambda jacobian: lambda x: jnp.sum(jacobian(f)(x) ** 2)
for ours, theirs in ((tj.jacobian(f), jax.jacfwd(f)), (jax.grad(loss(tj.jacobian)), jax.grad(loss(jax.jacfwd)))):
    g, want = jax.vmap(ours), jax.vmap(theirs)(x)
    for check in (True, False):
        split = jax.jit(jax.shard_map(g, mesh=mesh, in_specs=P("b"), out_specs=P("b"), check_vma=check))
        np.testing.assert_allclose(split(x), want, rtol=1e-5)
        # Inside, every device has its own part.
        assert ("@tapeless_" in split.lower(x).as_text()) != check
    sharded = jax.device_put(x, NamedSharding(mesh, P("b")))
    np.testing.assert_allclose(jax.jit(g)(sharded), want, rtol=1e-5)
    assert len(jax.jit(g)(sharded).sharding.device_set) == 2
    assert "@tapeless_" not in jax.jit(g).lower(sharded).as_text()
"""


def test_programs_that_are_split_over_devices_have_none() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _SPLIT], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
