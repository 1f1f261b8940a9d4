"""Lists of run-time length, and arrays returned from inside the loops that write them."""

# Written as users write, not as the linter would.
# ruff: noqa: C416

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(21)
X7 = R.random(7)
M34 = R.random((3, 4))
NONE = np.zeros(0)


@law((X7,), (X7 * 0.1,), (NONE,))
def return_from_writing_loop(m):
    y = np.zeros(3)
    for i in range(len(m)):
        y[i % 3] = i
        if m[i] > 0.7:
            return y
    return y


@law((X7,), (X7 * 0.1,))
def return_array_and_step(m):
    y = np.zeros(3)
    for i in range(len(m)):
        y[i % 3] = i
        if m[i] > 0.7:
            return y, i
    return y, -1


@law((X7,), (X7 * 0.1,))
def return_part_from_loop(m):
    y = np.zeros(3)
    for i in range(len(m)):
        y[i % 3] += m[i]
        if y[1] > 0.9:
            return y[1:]
    y[0] = 7.0
    return y[1:]


@law((X7, np.ones(3)), (X7 * 0.1, np.ones(3)))
def return_written_argument(m, y):
    for i in range(len(m)):
        y[i % 3] = i
        if m[i] > 0.7:
            return y
    y[1] = -1.0
    return y


@law((X7, np.ones(3)), (X7 * 0.0, np.ones(3)))
def return_from_endless_loop(m, y):
    i = 0
    while True:
        y[i % 3] = i
        i += 1
        if m[i] > 0.7:
            return y


@law((X7,), (X7 * 9.0,))
def return_from_inner_loop(m):
    y = np.zeros(3)
    for i in range(len(m)):
        for j in range(3):
            y[j] += m[i] * j
            if y[j] > 3:
                return y
    return y


@law((X7,), (X7 * 0.01,), (-X7,))
def return_one_of_two(m):
    y = np.zeros(3)
    z = np.ones(3)
    for i in range(len(m)):
        y[i % 3] += m[i]
        z[i % 3] -= abs(m[i])
        if y[i % 3] > 0.9:
            return y
        if z[i % 3] < 0.2:
            return z
    return y


def _cost(v):
    return v * v + 1.0


@law((X7,), (NONE,))
def array_of_calls(xs):
    return np.array([_cost(v) for v in xs])


@law((X7, 5), (X7, 0), (X7, 9))
def array_over_range(a, n):
    return np.array([a[i] * 2 for i in range(n)])


@law((X7,))
def consumed_generators(xs):
    return (
        sum(_cost(v) for v in xs),
        max(_cost(v) for v in xs),
        min(v - 1 for v in xs),
        any(v > 0.9 for v in xs),
        all(v > 0 for v in xs),
    )


@law((3, 4), (1, 1))
def matrix_by_comprehension(n, m):
    return np.array([[10.0 * i + j for j in range(m)] for i in range(n)])


@law((X7,))
def list_kept(xs):
    ys = [v * 2 for v in xs]
    return np.array(ys), len(ys), ys[0], ys[-1], sum(ys), max(ys), min(ys), ys[1:3], ys


@law((X7,), (NONE,))
def appended(xs):
    out = []
    for v in xs:
        out.append(math.sqrt(v))
    return np.array(out), out


@law((5,), (3,))
def table_of_python_numbers(n):
    dp = [0.0] * n
    for i in range(1, n):
        dp[i] = dp[i - 1] * 0.5 + i
    return np.array(dp), dp[2], dp


@law((X7,))
def starred_array(v):
    return np.array([1.0, *v, 2.0])


@law((X7,), (X7 * 0.0,))
def appended_sometimes(xs):
    out = []
    for v in xs:
        if v > 0.5:
            out.append(v * 2)
    return np.array(out), len(out)


@law((X7,), (X7 * 0.0,))
def filtered(xs):
    return np.array([v * 3 for v in xs if v > 0.5])


@law((0.5,), (5.0,))
def filtered_range(x):
    return [k for k in range(3) if k > x]


@law((5, 1.1), (0, 2.0))
def grows_from_itself(n, r):
    p = [1.0]
    for _ in range(n):
        p.append(p[-1] * r)
    return np.array(p), p


@law((X7,))
def pairs(xs):
    points = [(v, v * v) for v in xs]
    s = 0.0
    for a, b in points:
        s += a * b
    return s, np.array(points), points[2], points


@law((X7,))
def trajectory(xs):
    path = []
    p = np.zeros(2)
    for v in xs:
        p = p + np.array([v, -v])
        path.append(p)
    return np.array(path), path


@law((X7,))
def trajectory_of_copies(xs):
    path = []
    p = np.zeros(2)
    for v in xs:
        p += v
        path.append(p.copy())
    return np.array(path)


@law((3, 4))
def two_fors(n, m):
    return np.array([i * m + j for i in range(n) for j in range(m)])


@law((3,), (0,))
def lists_returned(n):
    return [i * i for i in range(n)], list(range(n)), [i % 2 == 0 for i in range(n)]


@law((3, 4))
def grid_of_lists(n, m):
    g = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            g[i][j] = i + j * 0.5
    return g, g[1][2], len(g[0]), sum(g[2])


@law((X7,), (X7 * 2.0,))
def two_appends_until_break(xs):
    out = []
    for v in xs:
        if v > 0.95:
            break
        out.append(v)
        out.append(-v)
    return np.array(out)


@law((X7,))
def records(xs):
    best = []
    for v in xs:
        if not best or v > best[-1]:
            best.append(v)
    return best


@law((X7,))
def ints_and_floats(xs):
    out = []
    for i, v in enumerate(xs):
        out.append(i if v < 0.5 else v)
    return np.array(out)


@law((4,))
def joined_lists(n):
    return [0.0] + [0.5 * k for k in range(n)], sum([k for k in range(n)]), max([k * 0.5 for k in range(n)])


@law((M34,))
def rows_collected(m):
    out = []
    for row in m:
        out.append(row * 2)
    total = 0.0
    for row in out:
        total += row.sum()
    return total, out[1], np.stack(out), np.array([row.max() for row in m])


@law((X7, True), (X7, False))
def list_of_two_kinds(xs, flag):
    ys = [v for v in xs] if flag else [v * 2 for v in xs]
    return np.array(ys)


@law((M34,), (M34[:0],))
def rows_joined(m):
    out = [row * 2 for row in m]
    return np.concatenate(out), np.vstack(out), np.hstack(out), np.stack(out, axis=1)


@law((M34, 2), (M34, 3))
def rows_appended_as_they_are(m, n):
    out = []
    total = 0.0
    for i in range(n):
        out.append(m[i])
        total += m[i, 0]
    return np.array(out), total
