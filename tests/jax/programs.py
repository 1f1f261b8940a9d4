"""Small JAX programs: (name, function, names of its arguments). The first argument is differentiated by.

Values avoid kinks; what happens at kinks has tests of its own.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special


class Program(NamedTuple):
    name: str
    function: Callable[..., Any]
    arguments: tuple[str, ...]


_random = np.random.default_rng(7)
_square = _random.normal(size=(3, 3))

INPUTS: dict[str, Any] = {
    "s": np.array(0.7),
    "v": np.array([0.3, -0.2, 1.2, 0.45]),
    "p": np.array([0.3, 0.2, 1.2, 0.45]),
    "u": np.array([0.3, -0.25, 0.8, 0.45]),
    "m": np.linspace(-0.8, 0.9, 12).reshape(3, 4) ** 3 + np.arange(12).reshape(3, 4) % 5 / 7,
    "w": _random.normal(size=(4, 2)),
    "a": _square @ _square.T + 2 * np.eye(3),
    "t": _random.normal(size=(2, 3, 2)),
    "i": np.array(1),
    "big": _random.normal(size=(6, 30)),
}

PROGRAMS: list[Program] = []


def add(names: str, **functions: Callable[..., Any]) -> None:
    PROGRAMS.extend(Program(name, function, tuple(names.split())) for name, function in functions.items())


# -- elementwise ------------------------------------------------------------------------------------


def each(module: Any, names: str) -> Callable[[Any], list[Any]]:
    """The results of many functions: one program instead of many, since compiling takes most of the time."""
    functions = [getattr(module, name) for name in names.split()]
    return lambda x: [function(x) for function in functions]


add(
    "v",
    trigonometric=each(jnp, "sin cos tan arctan"),
    hyperbolic=each(jnp, "sinh cosh tanh arcsinh"),
    exponential=each(jnp, "exp exp2 expm1"),
    steps=each(jnp, "negative abs sign floor ceil square cbrt"),
    activations=each(nn, "relu relu6 gelu silu softplus sigmoid hard_tanh hard_sigmoid log_sigmoid"),
    linear_units=each(nn, "elu celu selu leaky_relu"),
)
add(
    "p",
    logarithms=each(jnp, "log log2 log10 log1p"),
    roots=each(jnp, "sqrt reciprocal"),
    gamma_functions=each(special, "gammaln digamma gamma"),
)
add(
    "u",
    inverse_trigonometric=each(jnp, "arcsin arccos arctanh sinc"),
    error_functions=each(special, "erf erfc erfinv ndtr log_ndtr expit"),
    i0=jnp.i0,
    i0e=special.i0e,
    i1e=special.i1e,
)
add("p", ndtri=lambda x: special.ndtri(x / 2), logit=lambda x: special.logit(x / 2), entr=special.entr)
add(
    "v",
    arccosh=lambda x: jnp.arccosh(2 + x),
    rsqrt=lambda x: lax.rsqrt(2 + x),
    logistic_large=lambda x: lax.logistic(x * 100),
    integer_powers=lambda x: x**3 + x**-2 + x**7 + lax.integer_pow(x, 0) + x**1,
    float_power=lambda x: (2 + x) ** 2.5 + 2.0**x,
    atan2=lambda x: jnp.arctan2(x, x[::-1]) + jnp.arctan2(x, 2.0),
    hypot=lambda x: jnp.hypot(x, 2.0),
    maximum=lambda x: jnp.maximum(x, x[::-1]) + jnp.minimum(x, 0.1),
    clip=lambda x: jnp.clip(x, -0.1, 0.4),
    clamp=lambda x: lax.clamp(x - 1, x * 2, x[::-1] + 0.5),
    where=lambda x: jnp.where(x > 0, x * x, jnp.exp(x)),
    select_n=lambda x: lax.select_n(jnp.array([0, 2, 1, 2]), x, x * 2, x * 3),
    round=lambda x: jnp.round(x) * x + lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    modulo=lambda x: jnp.mod(x * 5 - 2, 0.3) + jnp.remainder(x * 3, -0.7),
    truncated_remainder=lambda x: lax.rem(x * 5, jnp.full(4, -0.7)) + lax.rem(jnp.full(4, 2.3), x),
    floor_divide=lambda x: jnp.floor_divide(x * 5, 0.7) * x,
    conversions=lambda x: (x * 10).astype(jnp.int32).astype(x.dtype) * x + (x > 0) * x,
    single=lambda x: x.astype(jnp.float32).astype(x.dtype) ** 2,
    logaddexp=lambda x: jnp.logaddexp(x, 1.0) + jnp.logaddexp2(x, x[::-1]),
    stop_gradient=lambda x: lax.stop_gradient(x) * x,
    heaviside=lambda x: jnp.heaviside(x, 0.5) * x,
    nan_to_num=lambda x: jnp.nan_to_num(x) * 2,
    bits=lambda x: ((x * 8).astype(int) << 2 | 1) * x,
    xlogy=lambda x: special.xlogy(x * x, x * x),
    rel_entr=lambda x: special.rel_entr(x * x, 1 + x * x),
    reduce_precision=lambda x: lax.reduce_precision(x, 11, 52) * x,
    powers_of_itself=lambda x: (x * x + 1) ** x,
)

# -- moving elements --------------------------------------------------------------------------------

add(
    "m",
    transpose=lambda x: x.T * 2,
    reshape=lambda x: x.reshape(2, 6) ** 2,
    reshape_order=lambda x: x.reshape(-1, order="F") ** 2,
    ravel_expand=lambda x: x.ravel()[:, None] * x[0],
    broadcast=lambda x: x[:, None, :] * x[None, :, :],
    slices=lambda x: x[::-1, None, 1:3] * x[1, 2],
    strides=lambda x: x[::2, ::-2] ** 2,
    concatenate=lambda x: jnp.concatenate([x, x**2, x[:1]]),
    stack=lambda x: jnp.stack([x, jnp.sin(x)], axis=1),
    hstack=lambda x: jnp.hstack([x, x[:, :1]]),
    split=lambda x: [part * 2 for part in jnp.split(x, 2, axis=1)],
    pad=lambda x: jnp.pad(x, ((1, 2), (0, 1))) ** 2,
    pad_edge=lambda x: jnp.pad(x, 1, mode="edge"),
    pad_reflect=lambda x: jnp.pad(x, 1, mode="reflect"),
    lax_pad=lambda x: lax.pad(x, x[0, 0], ((-1, 2, 1), (1, -1, 2))),
    roll=lambda x: jnp.roll(x, 1, axis=1) * x,
    flip=lambda x: jnp.flip(x) * x,
    tile=lambda x: jnp.tile(x, (2, 1)) ** 2,
    repeat=lambda x: jnp.repeat(x, 2, axis=0) ** 2,
    triangles=lambda x: jnp.tril(x) + jnp.triu(x, 1) * 2,
    diagonal=lambda x: jnp.diagonal(x) ** 2,
    trace=lambda x: jnp.trace(x) * x[0, 0],
    moveaxis=lambda x: jnp.moveaxis(x[None], 0, 2) * 3,
    rot90=lambda x: jnp.rot90(x) ** 2,
    diff=lambda x: jnp.diff(x, axis=1) ** 2,
    meshgrid=lambda x: jnp.meshgrid(x[0], x[:, 1])[0] ** 2,
)

# -- reductions, prefixes, order --------------------------------------------------------------------

add(
    "m",
    sums=lambda x: x.sum(0) * x.sum(),
    means=lambda x: x.mean(axis=1) * x.mean(),
    products=lambda x: x.prod(axis=1) + x.prod(),
    extremes=lambda x: x.max(axis=0) * x.min(),
    variance=lambda x: jnp.var(x, axis=1) + jnp.std(x),
    norms=lambda x: jnp.linalg.norm(x) + jnp.linalg.norm(x, axis=1),
    logsumexp=lambda x: special.logsumexp(x, axis=1) + nn.logsumexp(x),
    softmax=lambda x: nn.softmax(x) + nn.log_softmax(x, axis=0),
    argmax=lambda x: x[jnp.argmax(x[:, 0])] * jnp.argmin(x),
    any_all=lambda x: jnp.where(jnp.any(x > 0.5) & ~jnp.all(x > 0), x, 2 * x),
    cumsum=lambda x: jnp.cumsum(x, axis=1) ** 2,
    cumprod=lambda x: jnp.cumprod(x, axis=0),
    cummax=lambda x: lax.cummax(x, axis=1) * lax.cummin(x, axis=0),
    reverse_cumsum=lambda x: lax.cumsum(x, axis=0, reverse=True) ** 2,
    cumlogsumexp=lambda x: lax.cumlogsumexp(x, axis=1),
    sort=lambda x: jnp.sort(x, axis=0) ** 2,
    argsort=lambda x: jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1),
    median=lambda x: jnp.median(x) * x[0],
    standardise=nn.standardize,
    ptp=lambda x: jnp.ptp(x, axis=1),
    average=lambda x: jnp.average(x, axis=0, weights=x[:, 0] ** 2),
)
add(
    "v",
    sort_pairs=lambda x: lax.sort((jnp.array([1.0, 0, 1, 0]), x, x * x), num_keys=2),
    top_k=lambda x: lax.top_k(x, 2)[0] ** 2,
    quantile=lambda x: jnp.quantile(x, 0.4),
    interp=lambda x: jnp.interp(jnp.array([0.3, 2.6]), jnp.arange(4.0), x),
    interp_place=lambda x: jnp.interp(x, jnp.arange(4.0) - 1, jnp.arange(4.0) ** 2),
    searchsorted=lambda x: x * jnp.searchsorted(jnp.array([0.0, 0.4, 1.0]), x),
    associative_scan=lambda x: lax.associative_scan(lambda a, b: a * b + a + b, x),
    lax_reduce=lambda x: lax.reduce(x, 0.0, lax.add, (0,)) * x,
    polyval=lambda x: jnp.polyval(x, 2.0) * x[1],
    convolve=lambda x: jnp.convolve(x, jnp.array([1.0, -2.0])) * jnp.convolve(x[:2], x[2:])[0],
    trapezoid=lambda x: jnp.trapezoid(x**2),
    gradient=jnp.gradient,
)

# -- reading and writing ----------------------------------------------------------------------------

add(
    "m",
    index=lambda x: x[1] * x[-1],
    take_columns=lambda x: x[:, jnp.array([0, 2, 2])] ** 2,
    take=lambda x: jnp.take(x, jnp.array([3, 11, 0])) ** 2,
    take_fill=lambda x: jnp.take(x[0], jnp.array([1, 7, 0]), mode="fill", fill_value=2.0) ** 2,
    take_clip=lambda x: jnp.take(x[0], jnp.array([1, 7, 0]), mode="clip") ** 2,
    mask_multiply=lambda x: x * jnp.eye(3, 4, dtype=x.dtype),
    set_one=lambda x: x.at[1, 2].set(3.0) * x,
    set_row=lambda x: x.at[1].set(x[0] ** 2),
    add_repeated=lambda x: x.at[jnp.array([0, 1, 0])].add(x[:1] ** 2),
    multiply_at=lambda x: x.at[0, 1].multiply(x[2, 2]),
    max_at=lambda x: x.at[jnp.array([0, 1])].max(x[1:] + 0.3),
    min_at=lambda x: x.at[jnp.array([0, 1])].min(x[1:] + 0.1),
    drop=lambda x: x.at[jnp.array([0, 9]), 0].add(x[0, :2] ** 2, mode="drop"),
    one_hot=lambda x: nn.one_hot(jnp.array([1, 0, 3]), 4, dtype=x.dtype) * x,
    segment_sum=lambda x: jax.ops.segment_sum(x**2, jnp.array([0, 2, 0]), 3),
)
add(
    "m i",
    dynamic_row=lambda x, i: x[i] * x[0],
    dynamic_slice=lambda x, i: lax.dynamic_slice(x, (i, i), (2, 2)) ** 2,
    dynamic_update=lambda x, i: lax.dynamic_update_slice(x, x[:2, :2] * 2, (i, i)) * x,
    dynamic_outside=lambda x, i: lax.dynamic_slice(x, (i + 5, i - 5), (2, 2)) ** 2,
    dynamic_set=lambda x, i: x.at[i, i + 1].set(x[0, 0] ** 2),
)

# -- products ---------------------------------------------------------------------------------------

add(
    "m w",
    matmul=lambda x, w: jnp.tanh(x @ w),
    matmul_itself=lambda x, w: x @ x.T @ x @ w,
    outer=lambda x, w: jnp.outer(x[0], w[:, 0]) * x[1, 1],
    tensordot=lambda x, w: jnp.tensordot(x, w, axes=1) ** 2,
    einsum=lambda x, w: jnp.einsum("ij,jk,lj->ikl", x, w, x),
    vdot=lambda x, w: jnp.vdot(x[0], w[:, 1]) * jnp.dot(x[1], x[2]),
    kron=lambda x, w: jnp.kron(x[:2, :2], w[:1]),
    mlp=lambda x, w: nn.softmax(jnp.tanh(x @ w) @ w.T).sum(0),
)
add(
    "t",
    batched_matmul=lambda x: jnp.einsum("bij,bkj->bik", x, x),
    swapped_matmul=lambda x: jnp.matmul(x, x.swapaxes(1, 2)).sum(2),
    convolution=lambda x: lax.conv_general_dilated(x, x[:, :, :1] * 2, (1,), "SAME"),
    cross=lambda x: jnp.cross(x[:, :, 0], x[:, :, 1]),
    pooling=lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 1, 1), "SAME"),
    average_pooling=lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 1), (1, 1, 1), "VALID") ** 2,
)
add(
    "a",
    cholesky=jnp.linalg.cholesky,
    solve=lambda a: jnp.linalg.solve(a, a[:, 0] ** 2),
    inverse=lambda a: jnp.linalg.inv(a) * a,
    determinant=lambda a: jnp.linalg.det(a) + jnp.linalg.slogdet(a)[1],
    triangular=lambda a: lax.linalg.triangular_solve(a, a * 2, left_side=True, lower=True),
    triangular_right=lambda a: lax.linalg.triangular_solve(a, a + 1, left_side=False, lower=False, transpose_a=True),
    cho_solve=lambda a: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), a[0]),
    eigenvalues=jnp.linalg.eigvalsh,
    qr=lambda a: jnp.linalg.qr(a)[1] ** 2,
    matrix_power=lambda a: jnp.linalg.matrix_power(a, 3),
)
add(
    "big",
    large_matmul=lambda x: jnp.tanh(x @ x.T).sum(1),
    large_gather=lambda x: x[:, jnp.arange(20)[::-1]].sum(1) ** 2,
    large_scatter=lambda x: x.at[:, jnp.array([0, 1, 0])].add(x[:, :3] ** 2).sum(1),
    large_cumsum=lambda x: jnp.cumsum(x, axis=1)[:, ::7].sum(1) ** 2,
    large_softmax=lambda x: nn.softmax(x).max(axis=1),
)


def _twice(function: Callable[[Any], Any], x: Any) -> Any:
    return function(x) + function(function(x))


# -- control ----------------------------------------------------------------------------------------

add(
    "v",
    cond=lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x),
    cond_not_taken=lambda x: lax.cond(x[0] < 0, lambda y: jnp.log(y - 5), jnp.cos, x),
    switch=lambda x: lax.switch(jnp.int32(x[2]), [jnp.sin, lambda y: y * y, jnp.cos], x),
    cond_scalar=lambda x: jnp.stack([lax.cond(y > 0, lambda z: z**3, lambda z: -z, y) for y in x]),
    while_loop=lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * jnp.sin(c[1])), (0, x))[1],
    while_data=lambda x: lax.while_loop(lambda y: y.sum() < 20, lambda y: y * 1.5, x),
    while_lanes=jax.vmap(lambda y: lax.while_loop(lambda z: z < 2, lambda z: z * 2 + 0.5, y)),
    fori=lambda x: lax.fori_loop(0, 4, lambda k, y: y + jnp.sin(y) * k, x),
    scan=lambda x: lax.scan(lambda c, y: (c * y + jnp.sin(c), c + y), x[0], x),
    scan_reverse=lambda x: lax.scan(lambda c, y: (c + y**2, c * y), 0.0, x, reverse=True),
    scan_state=lambda x: lax.scan(lambda c, _: (jnp.roll(c, 1) * 1.1 + 1, None), x, None, length=3)[0],
    scan_pytree=lambda x: lax.scan(
        lambda c, y: ({"a": c["b"], "b": c["a"] * y["q"]}, c), {"a": 1.0, "b": x[1]}, {"q": x}
    )[0]["b"],
    nested_scan=lambda x: lax.scan(lambda c, y: (lax.fori_loop(0, 2, lambda _, z: z * y + 1, c), c), 0.5, x)[1],
    map=lambda x: lax.map(lambda y: jnp.sin(y) * x[0], x),
    vmap=lambda x: jax.vmap(lambda y, z: y * jnp.sin(z), in_axes=(0, None))(x, x[0]),
    vmap_cond=jax.vmap(lambda y: lax.cond(y > 0, jnp.sin, lambda z: z * z, y)),
    nested_jit=jax.jit(lambda y: jax.jit(jnp.sin)(y) * jax.jit(lambda z: z * z)(y)),
    called_twice=lambda x: _twice(jax.jit(lambda y: y * jnp.sin(y)), x),
    checkpoint=jax.checkpoint(lambda y: jnp.sin(jnp.sin(y))),
    inner_grad=jax.grad(lambda y: jnp.sum(jnp.sin(y) ** 2)),
    inner_jacobian=lambda x: jax.jacfwd(lambda y: jnp.sin(y) * y[0])(x).sum(0),
    inner_hessian=lambda x: jax.hessian(lambda y: jnp.sum(y**3) * y[0])(x)[0],
    newton=lambda x: lax.fori_loop(0, 5, lambda _, y: y - (y * y - (2 + x)) / (2 * y), jnp.ones(4)),
)
