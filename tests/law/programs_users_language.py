"""One construct each: views, loops over things, defaults, operators, library calls."""

# Written as users write, not as the linter would.
# ruff: noqa: ARG001, B007, B905, PLR0124, PLW2901, RET505

import functools

import numpy as np

from .corpus import law

R = np.random.default_rng(8)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)


@law((X5,))
def swap_views(x):
    a = x[:2]
    b = x[2:4]
    a, b = b, a
    a[0] = 9.0
    b[1] = 7.0
    return x, a, b


@law((X5,))
def alias_args(x):
    y = x
    y += 1
    z = y.copy()
    z *= 2
    return x is y, x, z


@law((X5,))
def aug_rebind(x):
    y = x[1:]
    y += 1
    y = y * 2
    y += 1
    return x, y


@law((M34,))
def row_alias(m):
    r = m[1]
    c = m[:, 2]
    r[2] = 5.0
    c[0] = 8.0
    m[1, 2] += 1
    return r, c


@law((M34,))
def transpose_write(m):
    t = m.T
    t[0, 1] = 4.0
    t[:, 0] *= 2
    return m, t


@law((np.arange(6.0),))
def reshape_view_write(x):
    y = x.reshape(2, 3)
    y[0, 1] = 10.0
    return x, y


@law((M34,))
def ravel_write(m):
    f = m.ravel()
    f[0] = 5.0
    return m


@law((M34,))
def flatten_write(m):
    f = m.flatten()
    f[0] = 5.0
    return m, f


@law((M34,))
def loop_row_write(m):
    for row in m:
        row[0] = 0.0
        row /= 2
    return m


@law((M34,))
def loop_elem(m):
    s = 0.0
    for row in m:
        for v in row:
            s += v
    return s


@law(([X5, X5 * 2],))
def list_arrays(l):
    l[0][1] = 7.0
    return l[0] + l[1]


@law(({"a": 1.0, "b": X5},))
def dict_loop(p):
    s = 0.0
    for k, v in p.items():
        s = s + np.sum(v)
    return s, {k: v * 2 for k, v in p.items()}


@law((5,), (0,))
def fstring_raise(n):
    if n == 0:
        raise ValueError(f"bad {n}")
    assert n > 1, f"n={n}"
    return n


@law((1,), (2,))
def assert_msg(n):
    assert n == 1, "must be one"
    return n


@law((X5,))
def enumerate_start(x):
    s = 0
    for i, v in enumerate(x, start=1):
        s += i * v
    return s


@law((X5, X5[:3]))
def zip_uneven(a, b):
    s = 0.0
    for u, v in zip(a, b):
        s += u * v
    return s


@law(
    (X5, X5[:3]),
)
def zip_strict(a, b):
    s = 0.0
    for u, v in zip(a, b, strict=True):
        s += u * v
    return s


@law((5, 2), (5, -1), (0, 1))
def range_step(n, k):
    s = 0
    for i in range(n, 0, -1):
        s = s * 3 + i
    for i in range(0, n, 2):
        s = s * 3 + i
    return s


@law((5, 2), (5, -1), (5, 0))
def range_dyn_step(n, k):
    s = 0
    for i in range(0, n, k):
        s += i
    return s


@law((3,))
def nested_fn_args(n):
    def f(a, *rest, scale=2.0, **kw):
        return a * scale + sum(rest) + kw.get("z", 0)

    return f(1, 2, 3) + f(n, scale=1.0)


@law((X5,))
def starred(x):
    a, *b = (1, 2, 3)
    first, *rest, last = [x[0], x[1], x[2], x[3]]
    return a, b, first, rest, last


@law((X5,))
def partial_use(x):
    f = functools.partial(np.power, 2.0)
    return f(x)


@law((X5,))
def reduce_use(x):
    return functools.reduce(lambda a, b: a + b, [x[0], x[1], x[2]])


@law((M34,))
def shape_unpack(m):
    (n, p) = m.shape
    return n, p, m.ndim, m.size, len(m), m.shape[1], m.dtype == np.float64


@law((X5,))
def none_default(x, out=None):
    if out is None:
        out = np.zeros_like(x)
    out[:] = x * 2
    return out


@law((X5, "mean"), (X5, "max"), (X5, "other"))
def string_mode(x, mode):
    if mode == "mean":
        return x.mean()
    elif mode == "max":
        return x.max()
    else:
        raise ValueError(f"unknown {mode}")


@law((X5, None), (X5, X5 * 2))
def optional_arg(x, w):
    if w is None:
        return x.sum()
    return (x * w).sum()


@law((X5, 2.0))
def ternary_chain(x, a):
    return 0 if a < 1 else 1 if a < 3 else 2


@law((3, 4, 5))
def chained(a, b, c):
    return a < b < c, a < b > c, a == a != b, not a < b


@law((X5,))
def inplace_ops(x):
    x += 1
    x -= 0.5
    x *= 2
    x /= 3
    x **= 2
    x //= 0.1
    x %= 0.7
    return x


@law((I5,))
def inplace_int(x):
    x += 1
    x -= 2
    x *= 3
    x //= 2
    x %= 5
    x <<= 1
    x >>= 1
    x |= 1
    x &= 7
    x ^= 2
    return x


@law((I5,))
def inplace_int_float(x):
    x += 0.5
    return x


@law((I5,))
def int_assign_float(x):
    x[0] = 2.7
    x[1:3] = np.array([1.5, -1.5])
    return x


@law((F32,))
def f32_assign(x):
    x[0] = 1.1
    x[1] = np.float64(1.1)
    x[2:] = np.array([1.1, 2.2, 3.3])
    return x


@law((X5,))
def bool_arith(x):
    m = x > 0.5
    return m.sum(), m * 2, m + m, m * 1.5, ~m, m & (x < 0.8), m | False, np.mean(m), m.astype(int), True + m[0]


@law((X5,))
def deep_expr(x):
    return ((x[1:] - x[:-1]) ** 2).sum() ** 0.5 / (np.abs(x).max() + 1e-9) if x.size > 1 else 0.0


@law((M34,))
def axis_stuff(m):
    return (
        m.sum(0),
        m.sum(axis=1),
        m.mean(axis=(0, 1)),
        m.max(1, keepdims=True),
        m.argmax(axis=0),
        m.std(0),
        m.var(axis=1, ddof=1),
        np.median(m, axis=0),
        np.percentile(m, 30),
        np.ptp(m, axis=1),
        m.any(axis=0),
        np.linalg.norm(m, axis=1),
        m.cumsum(axis=1),
        m.prod(axis=0),
        np.sort(m, axis=0),
        np.diff(m, axis=0),
        m.min(axis=-1),
    )


@law((M34,))
def shapes_stuff(m):
    return (
        np.vstack((m, m)),
        np.hstack([m, m]),
        np.column_stack((m[:, 0], m[:, 1])),
        np.concatenate([m, m], axis=1),
        np.stack([m, m]),
        np.tile(m, 2),
        np.repeat(m, 2, axis=0),
        np.flip(m),
        m[::-1],
        np.rot90(m),
        np.expand_dims(m, 0),
        np.squeeze(m[None]),
        np.swapaxes(m, 0, 1),
        np.moveaxis(m[None], 0, 2),
        np.broadcast_to(m[0], (2, 4)),
        np.atleast_2d(m[0]),
        m.ravel(),
        np.triu(m),
        np.tril(m),
        np.trace(m[:, :3]),
        np.diag(m[0]),
        np.kron(m[:2, :2], m[:2, :2]),
        np.outer(m[0], m[1]),
        np.fliplr(m),
        np.flipud(m),
    )


@law((X5,))
def meshgrid(x):
    X, Y = np.meshgrid(x, x[:2])
    return X + Y, np.meshgrid(x, x[:2], indexing="ij")[0]


@law((M34,))
def argsort_rows(m):
    o = np.argsort(-m[:, 0])
    return (
        m[o],
        m[o, 0],
        m[np.arange(3), o],
        m[:, [0, 2]],
        m[[0, 2]][:, [1, 3]],
        m[np.ix_([0, 2], [1, 3])],
        np.take(m, o, axis=0),
        np.take_along_axis(m, np.argsort(m, axis=1), axis=1),
    )


@law((M34,))
def newaxis_ellipsis(m):
    return m[..., 0], m[None, ...], m[:, None, :], m[..., np.newaxis], m[0, ...], m[...]


@law((M34, 1), (M34, -1), (M34, 5))
def dyn_row(m, i):
    return m[i], m[:, i], m[i, 1:], m[i][2]


class Settings:
    """Constants of a user."""

    depth = 3


@law((M34,))
def attributes_that_may_be_missing(m):
    def scaled(x, y):
        return x * y

    return (
        hasattr(np, "trapezoid"),
        hasattr(np, "no_such_name"),
        getattr(np, "no_such_name", None) is None,
        getattr(m, "no_such_name", 4.0),
        getattr(m, "ndim", 0),
        getattr(Settings, "depth", 1),
        hasattr(Settings, "width"),
        hasattr(scaled, "__name__"),
        hasattr(3, "real"),
    )
