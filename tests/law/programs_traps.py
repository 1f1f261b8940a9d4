"""Programs in which the order of evaluation, aliasing or control flow is easy to get wrong."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

Pair = namedtuple("Pair", "a b")


@dataclass
class State:
    position: np.ndarray
    time: float


def swap_items(x):
    x[0], x[1] = x[1], x[0]
    return x


def swap_rows(m):
    m[0], m[1] = m[1], m[0]
    return m


def swap_rows_by_copy(m):
    m[0], m[1] = m[1].copy(), m[0].copy()
    return m


def assignment_order(x):
    i = 0
    i, x[i] = 2, 7.0
    x[i] = i = 4
    return x, i


def loop_over_changing_array(x):
    for v in x:
        x[-1] += v
    return x


def loop_over_rebound_name(x):
    s = 0.0
    for v in x:
        x = np.zeros(1)
        s += v
    return s, x


def range_is_fixed(n):
    s = 0
    for i in range(n):
        n = 1
        s += i
    return s, n


def counter_reassigned(n):
    s = 0
    for i in range(n):
        i = i * 10
        s += i
    return s


def closure_sees_later_value(x):
    k = 1.0

    def scaled():
        return x * k

    first = scaled()
    k = 2.0
    return first, scaled()


def default_keeps_early_value(x):
    k = 1.0

    def scaled(factor=k):
        return x * factor

    k = 2.0
    return scaled() + k


def function_in_loop(n):
    s = 0.0
    for i in range(n):

        def twice(v):
            return 2 * v + i

        s += twice(i)
    return s


def closure_writes(x, n):
    acc = np.zeros(3)

    def add(i):
        acc[i % 3] += x
        if i > 4:
            return 1
        return 0

    count = 0
    for i in range(n):
        count += add(i)
    return acc, count


def reversed_alias(x):
    y = x[::-1]
    y[0] = 5.0
    y = y + 1
    y[0] = 100.0
    return x, y


def out_argument(x, y):
    np.add(x[1:], y[1:], out=x[:-1])
    np.multiply(x, 2.0, out=y)
    return x


def overlapping_views(x):
    _shift(x[1:], x[:-1])
    return x


def _shift(a, b):
    for i in range(len(a)):
        a[i] = b[i] + 1


def overlapping_update(x):
    x[1:] += x[:-1]
    x[:-1] *= x[1:]
    return x


def truthiness(n, x):
    a = 1 if n else 2
    b = 3 if x else 4
    while n:
        n -= 1
    return a, b, n


def array_truth(x):
    if x.any() and not x.all():
        return 1
    return 0


def field_update(s, n):
    for _ in range(n):
        s.position += 1.0
    return State(s.position, s.time + 0.5)


def object_state(x, n):
    s = State(x.copy(), 0.0)
    for _ in range(n):
        s = State(s.position * 2.0, s.time + 1.0)
    return s


def dict_in_loop(x, n):
    d = {"a": x, "n": 0}
    for _ in range(n):
        d["a"] = d["a"] + 1.0
        d["n"] += 1
    return d


def list_in_dynamic_loop(x):
    sums = [0.0, 1.0]
    for v in x:
        sums[0] += v
        sums[1] *= v
    return sums


def tuple_state(n):
    state = (0, 1)
    for _ in range(n):
        state = (state[1], state[0] + state[1])
    return state


def named_state(n):
    p = Pair(0.0, 1.0)
    for _ in range(n):
        p = Pair(p.b, p.a + p.b)
    return p


def array_pair_state(x, n):
    p = (x, x * 2)
    for _ in range(n):
        p = (p[1], p[0] + p[1])
    return p


def growing_types(n):
    a = True
    b = 1
    for i in range(n):
        if i == 1:
            a = b
        b = b + 0.5
    return b


def both_arms_return(x):
    if x > 0:
        y = x
        if y > 1:
            return y
        else:
            return -y
    else:
        return 0.0


def unrolled_break(x):
    s = 0.0
    for w in (1.0, 2.0, 3.0):
        if w * x > 5:
            break
        s += w * x
    else:
        s = -s
    return s


def unrolled_return(x):
    for k in (1, 2, 3):
        if k * x > 5:
            return k
    return 0


def unrolled_continue(x):
    s = 0.0
    for w in (1.0, 2.0, 3.0):
        if w * x > 3:
            continue
        s += w
    return s


def while_else(n):
    while n > 3:
        n -= 3
        if n == 5:
            break
    else:
        n = -n
    return n


def while_continue(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 3 == 0:
            continue
        s += n
    return s


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


def break_in_while(x):
    i = 0
    found = -1
    while i < len(x):
        if x[i] < 0:
            found = i
            break
        i += 1
    return found, i


def temporaries_across_loops(x):
    for i in range(len(x)):
        t = x[i] * 2
        x[i] = t
    for i in range(len(x)):
        t = x[i] + 1
        x[i] = t
    return t


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


def float32_sum(x):
    s = np.float32(0)
    for v in x:
        s += v * 2
    return s


def int32_indices(x, idx):
    s = 0.0
    for k in range(len(idx)):
        s += x[idx[k]]
    return s, x[idx]


def dynamic_reverse_slice(x, i):
    return x[i::-1], x[:i:-1], x[i:][::-1]


def new_axes(x, y):
    return x[:, None] * y[None, :], x[None].shape, x[..., None].shape


def outer_view_write(x):
    c = x[:, None]
    c[1, 0] = -1.0
    return x


def transposed_row(m):
    r = m.T[1]
    r += 100.0
    return m


def reshape_of_slice(m):
    f = m[1:].reshape(-1)
    f[0] = -1.0
    return m


def reshape_of_column_is_a_copy(m):
    f = m[:, 1].reshape(-1)
    f[0] = -1.0
    return m, f


def ravel_writes(m):
    m.ravel()[0] = -1.0
    return m


def flatten_copies(m):
    m.flatten()[0] = -1.0
    return m


def copy_then_write(x):
    y = np.array(x)
    z = np.asarray(x)
    y[0] = 1.0
    z[1] = 2.0
    return x, y


def astype_copies(x):
    y = x.astype(np.float64)
    y[0] = 9.0
    return x


def mask_then_write(x):
    m = x > 0
    x[m] = -1.0
    return m, x[m].sum()


def integer_division_signs(a, b):
    return a // b, a % b, -a // b, -a % b


def mixed_comparison(x, n):
    return x == n, x != n, (x > 1) == (n > 1)


def boolean_accumulate(x):
    any_negative = False
    all_small = True
    for v in x:
        any_negative = any_negative or v < 0
        all_small = all_small and abs(v) < 10
    return bool(any_negative), bool(all_small)


def early_exit_writes(x):
    for i in range(len(x)):
        x[i] = -x[i]
        if x[i] > 2:
            return i
    x[0] = 100.0
    return -1


def raise_after_write(x, n):
    x[0] = 1.0
    if n > 2:
        raise RuntimeError("late")
    x[1] = 2.0
    return n


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


def conditional_swap_scalars(a, b):
    if a > b:
        a, b = b, a
    return a, b


def triangular_loops(n):
    total = 0
    for i in range(n):
        for j in range(i, n):
            for k in range(j + 1, n):
                total += i * j - k
    return total


def shadowed_builtin(x):
    sum = 0.0  # noqa: A001
    for v in x:
        sum += v
    return sum


def sentinel_search(x, t):
    i = len(x) - 1
    while x[i] != t:
        i -= 1
        if i < 0:
            break
    return i


def accumulate_into_argument(out, x):
    for i in range(len(x)):
        out[i % len(out)] += x[i]


def chained_calls(x):
    return _half(_half(_half(x)))


def _half(v):
    return v / 2 if isinstance(v, float) else v // 2


def power_of_negative(x, n):
    return x**n, x**2, x**-1.0, (-x) ** 3


def read_only_branch(x, i):
    y = x if i > 0 else x * 2
    return y[0] + y[-1]


X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)
CASES = [
    (swap_items, (X,)), (swap_rows, (M,)), (swap_rows_by_copy, (M,)), (assignment_order, (X,)), (loop_over_changing_array, (X,)), (loop_over_rebound_name, (X[:1],)),
    (range_is_fixed, (4,)), (counter_reassigned, (4,)), (closure_sees_later_value, (2.0,)), (default_keeps_early_value, (2.0,)), (function_in_loop, (4,)),
    (closure_writes, (1.5, 8)), (reversed_alias, (X,)), (out_argument, (X, X * 2)), (overlapping_views, (X,)), (overlapping_update, (X,)),
    (truthiness, (3, 0.0)), (truthiness, (0, 1.5)), (array_truth, (X > 0,)), (array_truth, (X > 100,)), (field_update, (State(X, 0.0), 3)), (object_state, (X, 3)),
    (object_state, (X, 0)), (dict_in_loop, (X, 2)), (list_in_dynamic_loop, (X,)), (tuple_state, (7,)), (tuple_state, (0,)), (named_state, (5,)), (array_pair_state, (X, 3)),
    (growing_types, (4,)), (both_arms_return, (2.0,)), (both_arms_return, (0.5,)), (both_arms_return, (-0.5,)), (unrolled_break, (2.0,)), (unrolled_break, (1.0,)), (unrolled_break, (9.0,)),
    (unrolled_return, (2,)), (unrolled_return, (1,)), (unrolled_continue, (1.2,)), (while_else, (11,)), (while_else, (10,)), (while_continue, (10,)),
    (return_from_depth, (M,)), (return_from_depth, (M - 10,)), (return_from_depth, (M * 0,)), (break_in_while, (X,)), (break_in_while, (abs(X),)), (temporaries_across_loops, (X,)),
    (branch_defines_for_loop, (X, True)), (branch_defines_for_loop, (X, False)), (float32_sum, (X.astype(np.float32),)), (int32_indices, (X, np.array([0, 3, -1], dtype=np.int32))),
    (dynamic_reverse_slice, (X, 2)), (dynamic_reverse_slice, (X, -2)), (dynamic_reverse_slice, (X, 20)), (dynamic_reverse_slice, (X, -20)), (new_axes, (X, X[:2])), (outer_view_write, (X,)),
    (transposed_row, (M,)), (reshape_of_slice, (M,)), (reshape_of_column_is_a_copy, (M,)), (ravel_writes, (M,)), (flatten_copies, (M,)), (copy_then_write, (X,)), (astype_copies, (X,)),
    (mask_then_write, (X,)), (integer_division_signs, (7, 2)), (integer_division_signs, (-7, 2)), (integer_division_signs, (7.5, -2.0)), (integer_division_signs, (7, -2)),
    (mixed_comparison, (X, 2)), (mixed_comparison, (2.0, 2)), (boolean_accumulate, (X,)), (boolean_accumulate, (abs(X) * 10,)), (early_exit_writes, (X,)), (early_exit_writes, (abs(X),)),
    (raise_after_write, (X, 1)), (raise_after_write, (X, 3)), (nested_conditionals, (True, False, True)), (nested_conditionals, (False, False, True)), (nested_conditionals, (True, True, False)),
    (conditional_swap_scalars, (3.0, 1.0)), (conditional_swap_scalars, (1.0, 3.0)), (triangular_loops, (5,)), (shadowed_builtin, (X,)), (sentinel_search, (X, 2.0)), (sentinel_search, (X, 77.0)),
    (accumulate_into_argument, (np.zeros(2), X)), (chained_calls, (10.0,)), (chained_calls, (100,)), (power_of_negative, (2.0, 3)), (power_of_negative, (X, 3)), (read_only_branch, (X, 1)),
    (read_only_branch, (X, -1)),
]  # fmt: skip
