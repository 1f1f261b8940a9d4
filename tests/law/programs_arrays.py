"""Small programs on aliases, views, slices, masks and index arrays."""

# ruff: noqa: PLW2901

import numpy as np

from .corpus import law

X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)


@law((7.5,), (7,))
def augmented(a):
    a += 1
    a *= 2
    a -= 3
    a **= 2
    a //= 3
    a %= 5
    return a


@law((X,))
def augmented_array(x):
    x += 1.0
    x *= 2.0
    y = x
    y -= 1.0
    return x


@law((X,), (np.zeros(0),))
def augmented_item(x):
    x[0] += 5
    x[-1] *= 2
    return x


@law((X,))
def alias(x):
    y = x
    y[0] = 100.0
    return x[0]


@law((X,))
def fresh(x):
    y = x + 0
    y[0] = 100.0
    return x[0]


@law((X,))
def view_write(x):
    v = x[1:3]
    v[0] = 50.0
    v += 1
    return x


@law((X,))
def view_of_view(x):
    v = x[1:][::2]
    v[1] = -1.0
    return x, v.copy()


@law((X,))
def view_sees_base(x):
    v = x[::-1]
    x[0] = 42.0
    return v[-1] + 0.0


@law((M,))
def row_view(m):
    r = m[1]
    r[:] = 7.0
    return m.sum()


@law((M,))
def column_write(m):
    m[:, 0] = 1.0
    m[:, -1] += m[:, 1]
    return m


@law((M,))
def transpose_view(m):
    t = m.T
    t[0, 1] = 99.0
    return m


@law((np.arange(6.0),))
def reshape_view(x):
    y = x.reshape(2, -1)
    y[1, 0] = -5.0
    return x


@law((M,))
def iterate_rows(m):
    for row in m:
        row *= 2
    return m


@law((X,))
def helper_writes(x):
    _fill(x, 3.0)
    _fill(x[1:], 4.0)
    return x


def _fill(a, v):
    for i in range(len(a)):
        a[i] = v


@law((X, 3), (X, 0))
def swap_buffers(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(n):
        b[:] = a * 2
        a, b = b, a
    return a, b


@law((X, 2))
def rebind_argument(x, n):
    y = x
    for _ in range(n):
        y = y + 1
    return y


@law((X, True), (X, False))
def conditional_array(x, flag):
    if flag:
        y = x * 2
    else:
        y = x + 1
    return y


@law((X, True), (X, False))
def conditional_size(x, flag):
    y = x[1:] if flag else x
    return y.sum()


@law((X, True), (X, False))
def write_in_branch(x, flag):
    if flag:
        x[0] = 1.0
    else:
        x[1] = 2.0
    return x


@law((X,), (np.zeros(1),))
def negative_index(x):
    return x[-1] + x[-2]


@law((X, -5), (X, 4), (X, 5), (X, -6))
def dynamic_index(x, i):
    return x[i]


@law((X, np.array([2])))
def numpy_index(x, idx):
    return x[idx[0]]


@law((X,), (np.zeros(0),), (np.arange(2),))
def slices(x):
    return x[1:], x[:-1], x[::2], x[::-1], x[1:-1], x[-3:], x[:100], x[100:], x[-100:2], x[3:1], x[::-2], x[4:1:-1]


@law((X, 1, 3), (X, -3, 100), (X, 4, 2))
def dynamic_slice(x, i, j):
    return x[i:j]


@law((M,))
def slice_2d(m):
    return m[1:, :2], m[:, 1], m[0], m[..., 0], m[None, 0], m[:, None, 1], m[::-1, ::2]


@law((X,))
def slice_assign(x):
    x[1:] = x[:-1]
    return x


@law((X,))
def slice_assign_scalar(x):
    x[::2] = 0.0
    return x


@law((M, np.arange(4.0)), (M, 2.0), (M, np.arange(3.0)))
def broadcast_assign(m, v):
    m[1:] = v
    return m


@law((np.zeros(3),))
def assign_int_into(x):
    x[0] = 3
    x[1:] = np.array([1, 2])
    return x


@law((X, np.array([0, 2, 2, -1])), (X, np.array([0, 9])))
def gather(x, idx):
    return x[idx]


@law((np.arange(9.0).reshape(3, 3), np.array([0, 2])))
def gather_rows(m, idx):
    return m[idx], m[:, idx], m[idx, idx]


@law((X, np.array([1, 3, 1])))
def scatter_write(x, idx):
    x[idx] = np.arange(len(idx)) * 1.0
    return x


@law((X, np.array([1, 3, 1])))
def scatter_add(x, idx):
    x[idx] += 1.0
    return x


@law((X,))
def mask_write(x):
    x[x < 0] = 0.0
    return x


@law((X,))
def mask_scale(x):
    x[x > 1] *= 10
    return x


@law((X, X * 3))
def mask_copy(x, y):
    m = x > 0
    x[m] = y[m]
    return x


@law((X,), (-abs(X),))
def mask_read(x):
    return x[x > 0].sum(), x[x > 0]


@law((X,))
def list_index(x):
    return x[[0, 2, 1]]
