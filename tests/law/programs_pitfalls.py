"""Programs in which control flow, state and views are easy to get wrong."""

# ruff: noqa: F841, RET505

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .corpus import law

Pair = namedtuple("Pair", "a b")
X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)


@dataclass
class State:
    position: np.ndarray
    time: float


@law((3, 0.0), (0, 1.5))
def truthiness(n, x):
    a = 1 if n else 2
    b = 3 if x else 4
    while n:
        n -= 1
    return a, b, n


@law((X > 0,), (X > 100,))
def array_truth(x):
    if x.any() and not x.all():
        return 1
    return 0


@law((State(X, 0.0), 3))
def field_update(s, n):
    for _ in range(n):
        s.position += 1.0
    return State(s.position, s.time + 0.5)


@law((X, 3), (X, 0))
def object_state(x, n):
    s = State(x.copy(), 0.0)
    for _ in range(n):
        s = State(s.position * 2.0, s.time + 1.0)
    return s


@law((X, 2))
def dict_in_loop(x, n):
    d = {"a": x, "n": 0}
    for _ in range(n):
        d["a"] = d["a"] + 1.0
        d["n"] += 1
    return d


@law((X,))
def list_in_dynamic_loop(x):
    sums = [0.0, 1.0]
    for v in x:
        sums[0] += v
        sums[1] *= v
    return sums


@law((7,), (0,))
def tuple_state(n):
    state = (0, 1)
    for _ in range(n):
        state = (state[1], state[0] + state[1])
    return state


@law((5,))
def named_state(n):
    p = Pair(0.0, 1.0)
    for _ in range(n):
        p = Pair(p.b, p.a + p.b)
    return p


@law((X, 3))
def array_pair_state(x, n):
    p = (x, x * 2)
    for _ in range(n):
        p = (p[1], p[0] + p[1])
    return p


@law((4,))
def growing_types(n):
    a = True
    b = 1
    for i in range(n):
        if i == 1:
            a = b
        b = b + 0.5
    return b


@law((2.0,), (0.5,), (-0.5,))
def both_arms_return(x):
    if x > 0:
        y = x
        if y > 1:
            return y
        else:
            return -y
    else:
        return 0.0


@law((2.0,), (1.0,), (9.0,))
def unrolled_break(x):
    s = 0.0
    for w in (1.0, 2.0, 3.0):
        if w * x > 5:
            break
        s += w * x
    else:
        s = -s
    return s


@law((2,), (1,))
def unrolled_return(x):
    for k in (1, 2, 3):
        if k * x > 5:
            return k
    return 0


@law((1.2,))
def unrolled_continue(x):
    s = 0.0
    for w in (1.0, 2.0, 3.0):
        if w * x > 3:
            continue
        s += w
    return s


@law((11,), (10,))
def while_else(n):
    while n > 3:
        n -= 3
        if n == 5:
            break
    else:
        n = -n
    return n


@law((10,))
def while_continue(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 3 == 0:
            continue
        s += n
    return s


@law((M,), (M - 10,), (M * 0,))
def return_from_depth(a):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
            if s > 10.0:
                return s
            if s < -10.0:
                break
        else:
            s += 100.0
    return s


@law((X,), (abs(X),))
def break_in_while(x):
    i = 0
    found = -1
    while i < len(x):
        if x[i] < 0:
            found = i
            break
        i += 1
    return found, i


@law((X,))
def temporaries_across_loops(x):
    for i in range(len(x)):
        t = x[i] * 2
        x[i] = t
    for i in range(len(x)):
        t = x[i] + 1
        x[i] = t
    return t


@law((X, True), (X, False))
def branch_defines_for_loop(x, flag):
    if flag:
        step = 2
        start = 0.0
    else:
        step = 1
        start = 10
    s = start
    for i in range(0, len(x), step):
        s += x[i]
    return s


@law((X.astype(np.float32),))
def float32_sum(x):
    s = np.float32(0)
    for v in x:
        s += v * 2
    return s


@law((X, np.array([0, 3, -1], dtype=np.int32)))
def int32_indices(x, idx):
    s = 0.0
    for k in range(len(idx)):
        s += x[idx[k]]
    return s, x[idx]


@law((X, 2), (X, -2), (X, 20), (X, -20))
def dynamic_reverse_slice(x, i):
    return x[i::-1], x[:i:-1], x[i:][::-1]


@law((X, X[:2]))
def new_axes(x, y):
    return x[:, None] * y[None, :], x[None].shape, x[..., None].shape


@law((X,))
def outer_view_write(x):
    c = x[:, None]
    c[1, 0] = -1.0
    return x


@law((M,))
def transposed_row(m):
    r = m.T[1]
    r += 100.0
    return m


@law((M,))
def reshape_of_slice(m):
    f = m[1:].reshape(-1)
    f[0] = -1.0
    return m


@law((M,))
def reshape_of_column_is_a_copy(m):
    f = m[:, 1].reshape(-1)
    f[0] = -1.0
    return m, f


@law((M,))
def ravel_writes(m):
    m.ravel()[0] = -1.0
    return m


@law((M,))
def flatten_copies(m):
    m.flatten()[0] = -1.0
    return m


@law((X,))
def copy_then_write(x):
    y = np.array(x)
    z = np.asarray(x)
    y[0] = 1.0
    z[1] = 2.0
    return x, y


@law((X,))
def astype_copies(x):
    y = x.astype(np.float64)
    y[0] = 9.0
    return x


@law((X,))
def mask_then_write(x):
    m = x > 0
    x[m] = -1.0
    return m, x[m].sum()


@law((7, 2), (-7, 2), (7.5, -2.0), (7, -2))
def integer_division_signs(a, b):
    return a // b, a % b, -a // b, -a % b


@law((X, 2), (2.0, 2))
def mixed_comparison(x, n):
    return x == n, x != n, (x > 1) == (n > 1)


@law((X,), (abs(X) * 10,))
def boolean_accumulate(x):
    any_negative = False
    all_small = True
    for v in x:
        any_negative = any_negative or v < 0
        all_small = all_small and abs(v) < 10
    return bool(any_negative), bool(all_small)


@law((X,), (abs(X),))
def early_exit_writes(x):
    for i in range(len(x)):
        x[i] = -x[i]
        if x[i] > 2:
            return i
    x[0] = 100.0
    return -1


@law((X, 1), (X, 3))
def raise_after_write(x, n):
    x[0] = 1.0
    if n > 2:
        raise RuntimeError("late")
    x[1] = 2.0
    return n


@law((True, False, True), (False, False, True), (True, True, False))
def nested_conditionals(a, b, c):
    if a:
        if b:
            r = 1 if c else 2
        else:
            r = 3
    elif b:
        r = 4
    else:
        r = 5 if c else 6
    return r


@law((3.0, 1.0), (1.0, 3.0))
def conditional_swap_scalars(a, b):
    if a > b:
        a, b = b, a
    return a, b


@law((5,))
def triangular_loops(n):
    total = 0
    for i in range(n):
        for j in range(i, n):
            for k in range(j + 1, n):
                total += i * j - k
    return total


@law((X,))
def shadowed_builtin(x):
    sum = 0.0
    for v in x:
        sum += v
    return sum


@law((X, 2.0), (X, 77.0))
def sentinel_search(x, t):
    i = len(x) - 1
    while x[i] != t:
        i -= 1
        if i < 0:
            break
    return i


@law((np.zeros(2), X))
def accumulate_into_argument(out, x):
    for i in range(len(x)):
        out[i % len(out)] += x[i]


@law((10.0,), (100,))
def chained_calls(x):
    return _half(_half(_half(x)))


def _half(v):
    return v / 2 if isinstance(v, float) else v // 2


@law((2.0, 3), (X, 3))
def power_of_negative(x, n):
    return x**n, x**2, x**-1.0, (-x) ** 3


@law((X, 1), (X, -1))
def read_only_branch(x, i):
    y = x if i > 0 else x * 2
    return y[0] + y[-1]


@law((X,), (np.zeros(0),))
def condition_writes(x):
    n = 0
    work = np.ones(1)
    while _halve(work, x) > 0.1:
        n += 1
    return n, work


def _halve(work, x):
    work[0] = work[0] / 2
    return work[0] if len(x) else -1.0


@law((X,))
def new_axis_views(x):
    c = x[:, None]
    return c[:, 1:], c[1], c[:, 0], c[:, ::-1], c[1:, :1]


@law((X, X + 1), (np.zeros(0), np.zeros(0)))
def generators_of_unknown_length(x, y):
    dot = sum(x[i] * y[i] for i in range(len(x)))
    return float(dot), any(v > 4 for v in x), all(v < 0 for v in x if v != 3)


@law((X,), (np.zeros(0),))
def generator_extremes(x):
    return max(v * i for i, v in enumerate(x)), min(abs(v) for v in x)


@law((2.0,))
def many_lambdas(x):
    fs = (lambda v: v + 1, lambda v: v * 2, lambda v: _apply(lambda v: v - 3, v) * 4)
    return [f(x) for f in fs], _apply(lambda v: v / 2, x)


def _apply(f, x):
    return f(x)


TOP = [lambda v: v + 1, lambda v: _apply(lambda v: v * v, v) + 2]


@law((3.0,))
def lambdas_of_the_module(x):
    return _apply(TOP[0], x) + _apply(TOP[1], x)


@law((X,))
def write_single_new_axis(x):
    c = x[:, None]
    r = c[1]
    r[0] = 50.0
    r += 1.0
    return x, r


@law((X, 2), (X, 0))
def break_keeps_what_only_the_exit_needs(x, n):
    c = 0.0
    for v in x:
        c = c + v
        if v > 1.0:
            if n > 1:
                break
            c = -c
        c = c * 2.0
        c = v
    return c


@law((X, True), (X, False))
def return_in_one_of_two_blocks(x, flag):
    b = x[0]
    if flag:
        if b > 100.0:
            x[0] = b
        else:
            if b < -100.0:
                return b
            b = 5.0
        b = x[1]
    else:
        b = x[2]
    return b


@law((X, 7.0), (-X, 7.0))
def else_after_return(x, t):
    s = 0.0
    for v in x:
        if v == t:
            return v
        s += v
    if s > 0:
        for i in range(3):
            s += i
        s *= 2
    s += 1.0
    return s
