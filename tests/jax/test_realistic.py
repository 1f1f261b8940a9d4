"""Functions as users write them, through every verb and both back ends, beside JAX.

Each is small enough for machine code to be chosen, or has a part that keeps it from that.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, nn
from jax.scipy import special

import tapeless.jax as tj

X = jnp.array([0.3, 1.1, -0.7, 0.9])
KEY = jax.random.key(0)
W1, W2 = jax.random.normal(KEY, (5, 4)), jax.random.normal(jax.random.key(1), (3, 5))


def layer_norm(x: Any) -> Any:
    centred = x - jnp.mean(x, keepdims=True)
    return centred * lax.rsqrt(jnp.mean(centred**2, keepdims=True) + 1e-5)


def attention(x: Any) -> Any:
    q = jnp.outer(x, x[:3])
    return nn.softmax(q @ q.T / 2.0, axis=-1) @ q


def recurrent(x: Any) -> Any:
    def step(h: Any, u: Any) -> Any:
        h = jnp.tanh(W1[:4] @ h + u)
        return h, h[0]

    return lax.scan(step, x, jnp.arange(6.0))[1]


def newton(x: Any) -> Any:
    return lax.fori_loop(0, 5, lambda _, y: y - (y**3 - x) / (3 * y**2), jnp.ones_like(x))


def runge_kutta(x: Any) -> Any:
    def slope(y: Any) -> Any:
        return jnp.array([y[1], -jnp.sin(y[0]), y[3], -y[2] * y[0]])

    def step(y: Any, _: Any) -> Any:
        a = slope(y)
        b = slope(y + 0.05 * a)
        return y + 0.1 * b, y

    return lax.scan(step, x, None, length=8)[1][::3]


@jax.custom_jvp
def softly(x: Any) -> Any:
    return jnp.log1p(jnp.exp(x))


softly.defjvp(lambda primals, tangents: (softly(*primals), nn.sigmoid(primals[0]) * tangents[0]))


@jax.custom_vjp
def clipped(x: Any) -> Any:
    return x * 2


clipped.defvjp(lambda x: (x * 2, x), lambda x, g: (jnp.clip(g, -1.0, 1.0) * (x > 0),))

SMOOTH: dict[str, Callable[[Any], Any]] = {
    "perceptron": lambda x: W2 @ jnp.tanh(W1 @ x),
    "layer norm": layer_norm,
    "attention": attention,
    "log softmax": lambda x: nn.log_softmax(x)[jnp.array([0, 2])],
    "gelu and silu": lambda x: nn.gelu(x) * nn.silu(x[::-1]),
    "recurrent network": recurrent,
    "newton": lambda x: newton(x**2 + 0.5),
    "runge-kutta": runge_kutta,
    "branch": lambda x: lax.cond(x[0] > 0, lambda y: y * jnp.sin(y), lambda y: y**2, x),
    "branches": lambda x: lax.switch(jnp.int32(2 * x[1]), [jnp.sin, jnp.cos, jnp.tanh, jnp.exp], x),
    "gather": lambda x: x[jnp.array([0, 2, 2, 3])] * x[jnp.argsort(jnp.array([3, 1, 2, 0]))],
    "scatter": lambda x: jnp.zeros(6).at[jnp.array([0, 2, 2, 5])].add(x * x).at[1].set(x[0] * x[1]),
    "dynamic slice": lambda x: lax.dynamic_slice(x, (jnp.int32(x[1]),), (2,)) * x[0],
    "convolution": lambda x: jnp.convolve(x, x[:2], mode="same"),
    "pooling": lambda x: lax.reduce_window(x**2, 0.0, lax.add, (2,), (1,), "VALID"),
    "products": lambda x: jnp.cumprod(x) + jnp.prod(x) + jnp.cumsum(x[::-1]),
    "log-sum-exp": lambda x: special.logsumexp(jnp.outer(x, x), axis=0),
    "gamma and erf": lambda x: special.gammaln(x + 2) * special.erf(x) + special.expit(x),
    "norms": lambda x: jnp.stack([jnp.linalg.norm(x), jnp.linalg.norm(x, 1), jnp.std(x)]),
    "einsum": lambda x: jnp.einsum("i,ij,j->i", x, W1[:4, :4], x),
    "custom jvp": lambda x: softly(x) * x[0],
    "mapped": jax.vmap(lambda y: y * jnp.sin(y)),
    "jitted inside": jax.jit(lambda x: jnp.where(x > 0, x**3, jnp.exp(x))),
    "remat": jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)) * x[1]),
    "derivative inside": jax.grad(lambda y: jnp.sum(jnp.sin(y) * y[::-1] ** 2)),
    "repeated operands": lambda x: x * x + x + x,
    "identity": lambda x: x,
    "constant rows": lambda x: jnp.stack([jnp.ones(4), x * 3]),
    "ties": lambda x: jnp.maximum(x, x[0]) + jnp.max(jnp.stack([x, x]), axis=0),
    "polynomial": lambda x: jnp.polyval(jnp.array([1.0, -2.0, 0.5]), x) / (1 + x**2),
    "quaternion": lambda x: jnp.array([[x[0], -x[3]], [x[3], x[0]]]) @ x[1:3] / jnp.sqrt(x @ x),
}
# Parts of these are left to XLA.
LEFT = {
    "sort": lambda x: jnp.sort(x) * x,
    "solve": lambda x: jnp.linalg.solve(jnp.outer(x, x) + 3 * jnp.eye(4), x),
    "determinant": lambda x: jnp.linalg.slogdet(jnp.outer(x, x) + jnp.eye(4))[1],
}


def loss_of(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: jnp.sum(jnp.sin(function(x)) ** 2)


def same(one: Any, other: Any) -> None:
    for x, y in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)


POINTS = jnp.stack([X, 0.5 * X + 0.1])


@pytest.mark.parametrize("backend", ["auto", "native"])
@pytest.mark.parametrize("name", SMOOTH)
def test_jacobians(name: str, backend: str) -> None:
    function = SMOOTH[name]
    ours = tj.jacobian(function, backend=backend)
    same(jax.jit(jax.vmap(ours))(POINTS), jax.vmap(jax.jacrev(function))(POINTS))


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_xla(name: str) -> None:
    function, loss = LEFT[name], loss_of(LEFT[name])
    same(jax.jit(jax.vmap(tj.jacobian(function)))(POINTS), jax.vmap(jax.jacrev(function))(POINTS))
    same(tj.value_and_grad(loss)(X), jax.value_and_grad(loss)(X))


def everything(x: Any) -> Any:
    return {name: function(x) for name, function in SMOOTH.items()}


def total(x: Any) -> Any:
    return sum(loss_of(function)(x) for function in SMOOTH.values())


@pytest.mark.parametrize("backend", ["auto", "native"])
def test_gradients(backend: str) -> None:
    same(tj.value_and_grad(total, backend=backend)(X), jax.value_and_grad(total)(X))


def test_products() -> None:
    same(tj.jvp(everything, (X,), (X[::-1],)), jax.jvp(everything, (X,), (X[::-1],)))
    out, back = tj.vjp(everything, X)
    weights = jax.tree.map(jnp.cos, out)
    same(back(weights), jax.vjp(everything, X)[1](weights))


@pytest.mark.parametrize("name", ["attention", "runge-kutta", "layer norm", "scatter", "norms"])
def test_hessians(name: str) -> None:
    loss = loss_of(SMOOTH[name])
    same(tj.hessian(loss)(X), jax.hessian(loss)(X))


@pytest.mark.parametrize("backend", ["auto", "native"])
def test_a_rule_for_rows_alone(backend: str) -> None:
    def function(x: Any) -> Any:
        return clipped(x) * x[1]

    same(tj.jacobian(function, backend=backend)(X), jax.jacrev(function)(X))
    same(tj.grad(loss_of(function), backend=backend)(X), jax.grad(loss_of(function))(X))


@pytest.mark.parametrize("backend", ["auto", "native"])
def test_layers_in_a_tree(backend: str) -> None:
    def model(params: Any, x: Any, scale: Any = 1.0) -> Any:
        for w, b in params["layers"]:
            x = jnp.tanh(w @ x + b)
        return {"out": x * scale, "norm": jnp.sum(x**2)}, x

    params = {"layers": [(W1, jnp.ones(5)), (W2, jnp.zeros(3))]}
    ours = tj.jacobian(model, (0, 1), has_aux=True, backend=backend)(params, X, scale=2.0)
    same(ours, jax.jacrev(model, (0, 1), has_aux=True)(params, X, scale=2.0))
    jax.tree.map(lambda *_: None, ours, jax.jacrev(model, (0, 1), has_aux=True)(params, X, scale=2.0))
