"""Small programs, one per piece of the language."""

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

SCALE = 2.5
COUNT = 3
AXIS = 1
TABLE = np.array([1.0, 4.0, 9.0])
WEIGHTS = (0.5, 0.25, 0.25)
Point = namedtuple("Point", "x y")


@dataclass
class Body:
    position: np.ndarray
    mass: float
    charge: float = 1.0

    def force(self, k):
        return k * self.mass * self.position

    @property
    def double(self):
        return 2 * self.mass


@dataclass(frozen=True)
class Settings:
    steps: int
    rate: float


def if_elif_else(x):
    if x > 1.0:
        y = 1
    elif x > 0.0:
        y = 2
    else:
        y = 3
    return y


def early_return(x):
    if x < 0:
        return -x
    if x > 10:
        return 10.0
    return x * 2


def nested_return(x, y):
    if x > 0:
        if y > 0:
            return 1.0
        z = 2.0
    else:
        z = 3.0
    return z + y


def return_in_loop(x, t):
    for i in range(len(x)):
        if x[i] > t:
            return i
    return -1


def return_in_nested_loop(a, t):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] == t:
                return i, j
    return -1, -1


def return_array_in_loop(x, n):
    for i in range(n):
        x = x * 2.0
        if x[0] > 10.0:
            return x
    return x - 1.0


def while_true(x):
    n = 0
    while True:
        x = x / 2.0
        n += 1
        if x < 1.0:
            break
    return n


def while_return(x):
    while True:
        x *= 0.5
        if x < 1.0:
            return x


def break_keeps_values(x):
    s = 0.0
    for v in x:
        if v < 0:
            break
        s += v
        last = v
    else:
        s = -s
    return s


def break_before_update(x):
    n = 0
    y = 0.0
    for v in x:
        n += 1
        if v > 2.0:
            break
        y = y + v
    return n, y


def continue_loop(x):
    s = 0.0
    for v in x:
        if v < 0:
            continue
        s += v
    return s


def continue_and_break(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        if x[i] > 100:
            break
        s += x[i] * i
    return s


def for_else(x, t):
    for v in x:
        if v == t:
            found = True
            break
    else:
        found = False
    return found


def loop_variable_after(x):
    for i in range(len(x)):
        pass
    return i


def last_value(x):
    for v in x:
        y = v * 2
    return y


def previous_value(x):
    total = 0.0
    for i in range(len(x)):
        if i > 0:
            total += x[i] - prev
        prev = x[i]
    return total


def int_then_float(x):
    s = 0
    for v in x:
        s += v
    return s


def chained(x):
    return 0.0 < x < 1.0, 1 < 2 < 3, 0 <= x <= 5 > x


def boolean_values(x, y):
    return x and y, x or y, not x


def short_circuit(x, i):
    if i < len(x) and x[i] > 0:
        return 1
    return 0


def short_circuit_or(x, i):
    return i >= len(x) or x[i] > 0


def conditional(x):
    return x if x > 0 else -x


def conditional_guard(a, b):
    return a / b if b != 0 else 0.0


def swap(a, b):
    a, b = b, a
    return a - b


def star(t):
    first, *middle, last = t
    return first + last, middle


def unpack_array(v):
    x, y, z = v
    return x * y + z


def unpack_rows(m):
    a, b = m
    return a - b


def nested_unpack(p):
    (a, b), c = p
    return a * b + c


def walrus(x):
    if (n := len(x)) > 2:
        return n * 10
    return n


def walrus_loop(x):
    i = 0
    while (v := x[i]) > 0:
        i += 1
    return i, v


def augmented(a):
    a += 1
    a *= 2
    a -= 3
    a **= 2
    a //= 3
    a %= 5
    return a


def augmented_array(x):
    x += 1.0
    x *= 2.0
    y = x
    y -= 1.0
    return x


def augmented_item(x):
    x[0] += 5
    x[-1] *= 2
    return x


def alias(x):
    y = x
    y[0] = 100.0
    return x[0]


def fresh(x):
    y = x + 0
    y[0] = 100.0
    return x[0]


def view_write(x):
    v = x[1:3]
    v[0] = 50.0
    v += 1
    return x


def view_of_view(x):
    v = x[1:][::2]
    v[1] = -1.0
    return x, v.copy()


def view_sees_base(x):
    v = x[::-1]
    x[0] = 42.0
    return v[-1] + 0.0


def row_view(m):
    r = m[1]
    r[:] = 7.0
    return m.sum()


def column_write(m):
    m[:, 0] = 1.0
    m[:, -1] += m[:, 1]
    return m


def transpose_view(m):
    t = m.T
    t[0, 1] = 99.0
    return m


def reshape_view(x):
    y = x.reshape(2, -1)
    y[1, 0] = -5.0
    return x


def iterate_rows(m):
    for row in m:
        row *= 2
    return m


def helper_writes(x):
    _fill(x, 3.0)
    _fill(x[1:], 4.0)
    return x


def _fill(a, v):
    for i in range(len(a)):
        a[i] = v


def swap_buffers(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(n):
        b[:] = a * 2
        a, b = b, a
    return a, b


def rebind_argument(x, n):
    y = x
    for _ in range(n):
        y = y + 1
    return y


def conditional_array(x, flag):
    if flag:
        y = x * 2
    else:
        y = x + 1
    return y


def conditional_size(x, flag):
    y = x[1:] if flag else x
    return y.sum()


def write_in_branch(x, flag):
    if flag:
        x[0] = 1.0
    else:
        x[1] = 2.0
    return x


def negative_index(x):
    return x[-1] + x[-2]


def dynamic_index(x, i):
    return x[i]


def numpy_index(x, idx):
    return x[idx[0]]


def slices(x):
    return x[1:], x[:-1], x[::2], x[::-1], x[1:-1], x[-3:], x[:100], x[100:], x[-100:2], x[3:1], x[::-2], x[4:1:-1]


def dynamic_slice(x, i, j):
    return x[i:j]


def slice_2d(m):
    return m[1:, :2], m[:, 1], m[0], m[..., 0], m[None, 0], m[:, None, 1], m[::-1, ::2]


def slice_assign(x):
    x[1:] = x[:-1]
    return x


def slice_assign_scalar(x):
    x[::2] = 0.0
    return x


def broadcast_assign(m, v):
    m[1:] = v
    return m


def assign_int_into(x):
    x[0] = 3
    x[1:] = np.array([1, 2])
    return x


def gather(x, idx):
    return x[idx]


def gather_rows(m, idx):
    return m[idx], m[:, idx], m[idx, idx]


def scatter_write(x, idx):
    x[idx] = np.arange(len(idx)) * 1.0
    return x


def scatter_add(x, idx):
    x[idx] += 1.0
    return x


def mask_write(x):
    x[x < 0] = 0.0
    return x


def mask_scale(x):
    x[x > 1] *= 10
    return x


def mask_copy(x, y):
    m = x > 0
    x[m] = y[m]
    return x


def mask_read(x):
    return x[x > 0].sum(), x[x > 0]


def list_index(x):
    return x[[0, 2, 1]]


def int_promotion(x):
    return x / 2, x * 0.5, x // 2, x % 3, x**2


def weak_promotion(x):
    return x * 2.0, x + 1, 1 / x, x**2, -x, x > 0.5


def bool_arithmetic(x):
    return (x > 0) + (x > 1), (x > 0) & (x < 2), ~(x > 0), np.sum(x > 0)


def python_arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**2, -a, +a, abs(a)


def python_bits(a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1


def division_by_zero(a, b):
    return a / b


def modulo_by_zero(a, b):
    return a % b


def sqrt_domain(x):
    return math.sqrt(x)


def numpy_division(x, b):
    return x / b


def out_of_range(x, i):
    x[i] = 1.0
    return x


def assertion(x):
    assert x > 0, "x must be positive"
    return math.log(x)


def raises(x, n):
    if n < 0:
        raise ValueError(f"n is {n}")
    if n > 10:
        raise KeyError("too large")
    return x * n


def raises_in_loop(x):
    s = 0.0
    for v in x:
        if v < 0:
            raise ValueError("negative")
        s += math.sqrt(v)
    return s


def unbound(x):
    if x > 0:
        y = 1.0
    return y


def closure_numbers(x):
    return x * SCALE + COUNT


def closure_array(i):
    return TABLE[i] + TABLE.sum()


def closure_tuple(x):
    return WEIGHTS[0] * x + sum(WEIGHTS)


def static_constant(m):
    return m.sum(axis=AXIS)


def constant_trip_count(x):
    for _ in range(COUNT):
        x = x * 2
    return x


def nested_function(x, k):
    def scale(v):
        return v * k

    k = k + 1
    return scale(x) + scale(1.0)


def lambdas(x):
    f = lambda a, b=2: a * b  # noqa: E731
    return f(x) + f(x, 3) + f(b=4, a=x)


def defaults(x):
    return _scaled(x) + _scaled(x, offset=1.0) + _scaled(factor=3.0, x=x)


def _scaled(x, factor=2.0, *, offset=0.0):
    return x * factor + offset


def varargs(x):
    return _total(x, 2 * x, 3 * x, scale=2.0)


def _total(*terms, scale=1.0, **options):
    s = 0.0
    for t in terms:
        s += t
    return s * scale


def higher_order(x):
    return _twice(lambda v: v * v, x)


def _twice(f, x):
    return f(f(x))


def tuples(p):
    a, b = p
    return (b, a), (a + b,)


def dicts(d):
    total = 0.0
    for name, value in d.items():
        total += value
    return {"total": total, "first": d["a"], "both": (d["a"], d["b"])}


def named_tuple(p):
    return Point(p.y, p.x + 1)._replace(x=0.5)


def data_class(b):
    f = b.force(2.0)
    return Body(f, b.double)


def data_class_write(b):
    b.position[0] = 9.0
    m = Body(b.position, 1.0)
    m.mass += 2.5
    return m.mass


def settings(x, s):
    for _ in range(s.steps):
        x = x - s.rate * x
    return x


def lists(x):
    parts = [x, 2 * x]
    parts.append(3 * x)
    parts[0] = parts[1] + parts[-1]
    return parts, len(parts)


def list_in_loop(x):
    out = []
    for k in range(3):
        out.append(x * k)
    return np.array(out)


def comprehension(x):
    return [x * k for k in range(4) if k != 1]


def comprehension_sum(x):
    return sum([v * v for v in (x, x + 1, x + 2)])


def generator_sum(x):
    return sum(x * k for k in range(3)), max(x * k for k in (1, -1))


def enumerate_loop(x):
    s = 0.0
    for i, v in enumerate(x, 1):
        s += i * v
    return s


def zip_loop(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s


def zip_enumerate(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += i * a * b
    return s


def reversed_loop(x):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v
    for i in reversed(range(3)):
        s += i
    return s


def range_steps(n):
    s = 0
    for i in range(0, n, 3):
        s += i
    for i in range(n, 0, -2):
        s -= i
    for i in range(n - 1, -1, -1):
        s = s * 2 + i
    return s


def dynamic_step(n, k):
    s = 0
    for i in range(0, n, k):
        s += i + 1
    return s


def static_unroll(x):
    s = 0.0
    for w, shift in ((0.5, -1), (0.25, 1), (0.25, 2)):
        s += w * x[shift]
    return s


def tuple_by_counter(x):
    s = 0.0
    for k in range(3):
        s += WEIGHTS[k] * x[k]
    return s


def isinstance_static(x):
    if isinstance(x, np.ndarray):
        return x.sum()
    if isinstance(x, int):
        return x + 1
    return x


def none_default(x, scale=None):
    if scale is None:
        scale = 2.0
    return x * scale


def shape_static(m):
    if m.ndim == 2 and m.shape[1] == 1:
        return m[:, 0]
    return m


def dtype_static(x):
    if x.dtype == np.float32:
        return x * 2
    return x + 1


def string_option(x, mode):
    if mode == "sum":
        return x.sum()
    if mode in ("max", "min"):
        return x.max() if mode == "max" else x.min()
    raise ValueError(mode)


def membership(k):
    return k in (1, 2, 3), k not in (4, 5)


def is_none(x):
    y = None
    return y is None, x is not None


def static_math():
    return 2**10 + 7 // 2 - 3 % 2 + len("abc")


def multiple_results(x):
    return x.min(), x.max(), x.argmax(), len(x), x.shape


def nested_map(m):
    n, k = m.shape
    out = np.zeros(n)
    for i in range(n):
        s = 0.0
        for j in range(k):
            if j % 2 == 0:
                s += m[i, j]
            else:
                s -= m[i, j]
        out[i] = s
    return out


def triangular(n):
    m = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            m[i, j] = i + j
    return m


def counter_offsets(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(1, n - 1):
        y[i] = x[i - 1] - 2 * x[i] + x[i + 1]
    return y


def wrap_around(x):
    n = len(x)
    y = np.empty(n)
    for i in range(n):
        y[i] = x[(i + 1) % n] - x[i - 1]
    return y


def shift_loop(x, n):
    for _ in range(n):
        x = np.concatenate((x[1:], x[:1]))
    return x


def matmul_loop(a, x, n):
    for _ in range(n):
        x = a @ x
    return x


def none_result(x):
    x[0] = 1.0


def pass_through(x):
    return x


def same_twice(x):
    y = x * 2
    return y, y


def docstring(x):
    """A docstring."""
    "another string"
    pass
    return x


def import_inside(x):
    import math as m
    from math import cos

    return m.sin(x) + cos(x)


def static_range_list(x):
    cuts = [0, 2, 3]
    return [x[cuts[k] : cuts[k + 1]].sum() for k in range(2)]


def fixpoint_types(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b * 0.5
    return a


def while_with_and(x, t):
    i = 0
    while i < len(x) and x[i] < t:
        i += 1
    return i


def two_loops(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    t = 0.0
    for i in range(len(x)):
        t += (x[i] - s) ** 2
    return s, t


def maximum_by_hand(x):
    best = x[0]
    where = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best, where = x[i], i
    return best, where


def empty_loop_body(n):
    for _ in range(n):
        pass
    return n


def nested_break(a):
    count = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] < 0:
                break
            count += 1
    return count


def flag_variable(x):
    ok = True
    for v in x:
        if v < 0:
            ok = False
    return ok


def float_index_loop(x, n):
    t = 0.0
    while t < n:
        x = x + t
        t += 0.5
    return x


def int_cast(x):
    return int(x), float(int(x)), bool(x), round(x)


def numpy_scalars(x):
    a = x[0]
    return a * 2, a / 3, a**2, a > 0, np.sqrt(a), abs(a)


def inplace_vs_rebind(x):
    y = x
    y = y + 1
    y[0] = -1.0
    return x, y


def chained_assignment(x):
    a = b = x * 2
    a[0] = 7.0
    return b


def two_views(x):
    left, right = x[:2], x[2:]
    left[:] = right[::-1][:2]
    return x


def update_while_iterating(x):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]
    return x


def write_through_tuple(x, y):
    for a in (x, y):
        a[0] = 5.0
    return x.sum() + y.sum()


def accumulate_rows(m):
    total = np.zeros(m.shape[1])
    for row in m:
        total += row
    return total


def diagonal(m):
    return np.array([m[0, 0], m[1, 1]])


def bool_loop(n):
    flags = np.zeros(n, dtype=bool)
    for i in range(n):
        flags[i] = i % 2 == 0
    return flags


def int32_loop(x):
    s = x[0]
    for i in range(1, len(x)):
        s += x[i]
    return s


X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)
CASES = [
    (if_elif_else, (2.0,)), (if_elif_else, (0.5,)), (if_elif_else, (-1.0,)),
    (early_return, (-3.0,)), (early_return, (30.0,)), (early_return, (3.0,)),
    (nested_return, (1.0, 1.0)), (nested_return, (1.0, -1.0)), (nested_return, (-1.0, 1.0)),
    (return_in_loop, (X, 2.5)), (return_in_loop, (X, 50.0)), (return_in_loop, (np.zeros(0), 1.0)),
    (return_in_nested_loop, (M, 6.0)), (return_in_nested_loop, (M, -6.0)),
    (return_array_in_loop, (X, 5)), (return_array_in_loop, (X, 1)),
    (while_true, (20.0,)), (while_return, (20.0,)), (break_keeps_values, (X,)), (break_keeps_values, (abs(X),)),
    (break_before_update, (np.array([1.0, 1.5, 3.0, 1.0]),)), (continue_loop, (X,)), (continue_and_break, (np.array([1.0, -1.0, 200.0, 5.0]),)),
    (for_else, (X, 2.0)), (for_else, (X, 22.0)), (loop_variable_after, (X,)), (loop_variable_after, (np.zeros(0),)),
    (last_value, (X,)), (last_value, (np.zeros(0),)), (previous_value, (X,)),
    (int_then_float, (X,)), (int_then_float, (np.array([1, 2]),)), (chained, (0.5,)), (chained, (7,)),
    (boolean_values, (True, False)), (boolean_values, (0.0, 2.0)), (boolean_values, (3, 2)), (short_circuit, (X, 0)), (short_circuit, (X, 99)),
    (short_circuit_or, (X, 1)), (conditional, (-2.0,)), (conditional_guard, (1.0, 0.0)), (conditional_guard, (1.0, 4.0)),
    (swap, (1.0, 5.0)), (star, ((1.0, 2.0, 3.0, 4.0),)), (star, ((1.0, 2),)), (unpack_array, (np.arange(3.0),)), (unpack_array, (np.arange(4.0),)),
    (unpack_rows, (np.arange(6.0).reshape(2, 3),)), (nested_unpack, (((1.0, 2.0), 3.0),)), (walrus, (X,)), (walrus, (np.zeros(1),)),
    (walrus_loop, (X,)), (walrus_loop, (abs(X),)), (augmented, (7.5,)), (augmented, (7,)), (augmented_array, (X,)), (augmented_item, (X,)),
    (augmented_item, (np.zeros(0),)),
    (alias, (X,)), (fresh, (X,)), (view_write, (X,)), (view_of_view, (X,)), (view_sees_base, (X,)), (row_view, (M,)), (column_write, (M,)),
    (transpose_view, (M,)), (reshape_view, (np.arange(6.0),)), (iterate_rows, (M,)), (helper_writes, (X,)), (swap_buffers, (X, 3)), (swap_buffers, (X, 0)),
    (rebind_argument, (X, 2)), (conditional_array, (X, True)), (conditional_array, (X, False)), (conditional_size, (X, True)), (conditional_size, (X, False)),
    (write_in_branch, (X, True)), (write_in_branch, (X, False)), (negative_index, (X,)), (negative_index, (np.zeros(1),)), (dynamic_index, (X, -5)), (dynamic_index, (X, 4)),
    (dynamic_index, (X, 5)), (dynamic_index, (X, -6)), (numpy_index, (X, np.array([2]))), (slices, (X,)), (slices, (np.zeros(0),)), (slices, (np.arange(2),)),
    (dynamic_slice, (X, 1, 3)), (dynamic_slice, (X, -3, 100)), (dynamic_slice, (X, 4, 2)), (slice_2d, (M,)), (slice_assign, (X,)), (slice_assign_scalar, (X,)),
    (broadcast_assign, (M, np.arange(4.0))), (broadcast_assign, (M, 2.0)), (broadcast_assign, (M, np.arange(3.0))), (assign_int_into, (np.zeros(3),)),
    (gather, (X, np.array([0, 2, 2, -1]))), (gather, (X, np.array([0, 9]))), (gather_rows, (np.arange(9.0).reshape(3, 3), np.array([0, 2]))),
    (scatter_write, (X, np.array([1, 3, 1]))), (scatter_add, (X, np.array([1, 3, 1]))), (mask_write, (X,)), (mask_scale, (X,)), (mask_copy, (X, X * 3)),
    (mask_read, (X,)), (mask_read, (-abs(X),)), (list_index, (X,)), (int_promotion, (np.array([5, -3, 2]),)), (int_promotion, (np.array([5, -3], dtype=np.int32),)),
    (weak_promotion, (X.astype(np.float32),)), (weak_promotion, (X,)), (bool_arithmetic, (X,)), (python_arithmetic, (7, 2)), (python_arithmetic, (7.5, -2.0)),
    (python_arithmetic, (-7, 2)), (python_bits, (13, 6)), (division_by_zero, (1.0, 0.0)), (division_by_zero, (1, 0)), (modulo_by_zero, (5, 0)),
    (sqrt_domain, (-1.0,)), (sqrt_domain, (4.0,)), (numpy_division, (X, 0.0)), (out_of_range, (X, 5)), (out_of_range, (X, -1)), (assertion, (2.0,)), (assertion, (-2.0,)),
    (raises, (1.0, 5)), (raises, (1.0, -5)), (raises, (1.0, 50)), (raises_in_loop, (abs(X),)), (raises_in_loop, (X,)), (unbound, (1.0,)), (unbound, (-1.0,)),
    (closure_numbers, (2.0,)), (closure_array, (1,)), (closure_tuple, (2.0,)), (static_constant, (M,)), (constant_trip_count, (X,)), (nested_function, (2.0, 3.0)),
    (lambdas, (2.0,)), (defaults, (2.0,)), (varargs, (1.0,)), (higher_order, (3.0,)), (tuples, ((1.0, 2),)), (dicts, ({"a": 1.0, "b": 2.5},)),
    (named_tuple, (Point(1.0, 2.0),)), (data_class, (Body(X, 2.0),)), (data_class_write, (Body(X, 2.0),)), (settings, (X, Settings(3, 0.1))),
    (lists, (2.0,)), (list_in_loop, (2.0,)), (comprehension, (2.0,)), (comprehension_sum, (2.0,)), (generator_sum, (2.0,)), (enumerate_loop, (X,)),
    (zip_loop, (X, X[:3])), (zip_enumerate, (X, X)), (reversed_loop, (X,)), (range_steps, (10,)), (range_steps, (0,)), (dynamic_step, (10, 3)), (dynamic_step, (10, -3)),
    (dynamic_step, (10, 0)), (static_unroll, (X,)), (tuple_by_counter, (X,)), (isinstance_static, (X,)), (isinstance_static, (3,)), (isinstance_static, (3.5,)),
    (none_default, (2.0,)), (none_default, (2.0, 5.0)), (shape_static, (np.ones((3, 1)),)), (shape_static, (M,)), (dtype_static, (X,)), (dtype_static, (X.astype(np.float32),)),
    (string_option, (X, "sum")), (string_option, (X, "max")), (string_option, (X, "nothing")), (membership, (2,)), (membership, (5,)), (is_none, (2.0,)), (static_math, ()),
    (multiple_results, (X,)), (nested_map, (M,)), (triangular, (4,)), (counter_offsets, (X,)), (counter_offsets, (np.zeros(1),)), (wrap_around, (X,)), (wrap_around, (np.zeros(0),)),
    (shift_loop, (X, 2)), (matmul_loop, (np.arange(4.0).reshape(2, 2), np.ones(2), 3)), (none_result, (X,)), (pass_through, (X,)), (pass_through, (3,)), (same_twice, (X,)),
    (docstring, (1.5,)), (import_inside, (0.5,)), (static_range_list, (X,)), (fixpoint_types, (5,)), (while_with_and, (X, 10.0)), (two_loops, (X,)),
    (maximum_by_hand, (X,)), (maximum_by_hand, (np.zeros(0),)), (empty_loop_body, (3,)), (nested_break, (np.array([[1.0, -1.0, 2.0], [3.0, 4.0, -2.0]]),)),
    (flag_variable, (X,)), (flag_variable, (abs(X),)), (float_index_loop, (X, 2)), (int_cast, (3.7,)), (int_cast, (-3.7,)), (numpy_scalars, (X,)), (numpy_scalars, (X.astype(np.float32),)),
    (inplace_vs_rebind, (X,)), (chained_assignment, (X,)), (two_views, (X,)), (update_while_iterating, (X,)), (write_through_tuple, (X, X * 2)), (accumulate_rows, (M,)),
    (diagonal, (M,)), (bool_loop, (5,)), (int32_loop, (np.array([1, 2, 3], dtype=np.int32),)),
]  # fmt: skip

MIXED = [
    (short_circuit_or, (X, 99)),
    (int_then_float, (np.zeros(0),)),
    (continue_loop, (np.zeros(0),)),
    (fixpoint_types, (0,)),
]
