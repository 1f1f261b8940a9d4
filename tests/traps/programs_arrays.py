"""Analyses that see too little activity, duplicate indices, branches not taken, zeros, kinks, indices, constants."""

# ruff: noqa: B007 - written as people write them
import numpy as np

import tapeless as tp

from .catalogue import trap

KEEN, DUPLICATES, UNTAKEN = "analysis too keen", "duplicate indices", "branches not taken"
ZEROS, KINKS, RANGE = "zeros in products", "kinks and ties", "indices out of range"
CONSTANTS, NANS, REFUSED = "constants and types of rules", "tests for NaN", "what has no derivative"


@trap(KEEN, (2.0, 5), 4.0, enzyme="issues 101, 1406: zero")
def active_only_after_three_rounds(x, n):
    a, b, c = 0.0, 0.0, 0.0
    for i in range(n):
        c = b
        b = a
        a = x * x
    return c


@trap(KEEN, (np.array([1.0, 2.0, 3.0]),), np.array([2.0, 0.0, 6.0]), futhark="issue 1878: whole Jacobian zero")
def partly_written_zeros(x):
    a = np.zeros(6)
    a[1] = x[0] * x[0]
    a[4] = x[2] * x[2]
    return np.sum(a)


@trap(KEEN, (3.0, True), 6.0)
def active_in_one_arm(x, flag):
    y = 1.0
    if flag:
        y = x * x
    return y


@trap(KEEN, (3.0, 1), 1.0, taichi="issues 1966, 4412")
def result_is_an_argument(x, n):
    y = x
    z = 0.0
    for i in range(n):
        z = z + y * y
    return y if z > -1.0 else z


@trap(KEEN, (np.array([1.0, 5.0, 2.0]),), np.array([0.0, 10.0, 0.0]))
def index_depends_on_what_varies(x):
    return x[np.argmax(x)] ** 2


@trap(KEEN, (np.array([1.0, 2.0]),), np.array([4.0, 4.0]))
def array_through_a_tuple(x):
    pair = (x, 2.0 * x)
    first, second = pair
    return np.sum(first + second) + np.sum(pair[0])


@trap(DUPLICATES, (np.array([1.0, 2.0, 3.0]),), np.array([0.0, 1.0, 10.0]), pytorch="[1, 1, 10]", jax="right")
def scatter_to_one_place_twice(x):
    out = np.zeros(3)
    idx = np.array([0, 0, 1])
    for i in range(3):
        out[idx[i]] = x[i]
    return out[0] + 10.0 * out[1] + 100.0 * out[2]


@trap(DUPLICATES, (np.array([2.0, 3.0, 4.0]),), np.array([3.0, 2.0, 1.0]), jax="refused", pytorch="right")
def product_by_segments(x):
    ids = np.array([0, 0, 1])
    out = np.ones(2)
    for i in range(len(x)):
        out[ids[i]] *= x[i]
    return np.sum(out)


@trap(DUPLICATES, (np.array([2.0, 3.0, 4.0]),), np.array([20.0, 30.0, 8.0]), tensorflow="issue 56961")
def sums_at_repeated_places(x):
    out = np.zeros(2)
    np.add.at(out, np.array([0, 0, 1]), x * x)
    return 5.0 * out[0] + out[1]


@trap(DUPLICATES, (np.array([2.0, 3.0, 3.0]),), np.array([0.0, 0.5, 0.5]), jax="halves", pytorch="halves")
def maximum_by_segments_with_a_tie(x):
    out = tp.hist(np.maximum, np.full(1, -np.inf), np.array([0, 0, 0]), x)
    return out[0]


@trap(DUPLICATES, (np.array([0.5, 2.0, 3.0]), np.array([2, 2, 0])), np.array([1.0, 0.0, 12.0]))
def gather_with_repeats(x, idx):
    return np.sum(x[idx] * x[idx])


@trap(UNTAKEN, (0.0,), 1.0, jax="NaN", pytorch="NaN", autograd="exception")
def where_with_a_root(x):
    return np.where(x < 1.0, x, np.sqrt(x))


@trap(UNTAKEN, (np.array([0.0, 2.0]),), np.array([0.0, 0.5]), jax="NaN by where")
def logarithm_where_positive(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += np.log(x[i])
    return s


@trap(UNTAKEN, (np.array([0.0, np.pi / 2]),), np.array([0.0, -4.0 / np.pi**2]), jax="NaN", pytorch="NaN")
def sine_over_x(x):
    return np.sum(np.where(x == 0.0, 1.0, np.sin(x) / x))


@trap(UNTAKEN, (np.zeros(3),), np.zeros(3), jax="NaN (issue 1052)")
def guarded_norm(x):
    n = np.sum(x * x)
    return np.sqrt(n) if n > 0.0 else 0.0


@trap(UNTAKEN, (np.array([-1.0, 4.0]),), np.array([0.0, 0.25]), autograd="issue 802")
def root_of_the_positive(x):
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


@trap(UNTAKEN, (np.array([1000.0, 0.0]),), np.array([0.0, 1.0]), jax="NaN")
def overflow_in_the_other_arm(x):
    return np.sum(np.where(x > 100.0, 1.0, np.exp(x)))


@trap(ZEROS, (np.array([0.0, 2.0, 3.0]),), np.array([6.0, 0.0, 0.0]), autograd="NaN")
def product_with_a_zero(x):
    return np.prod(x)


@trap(ZEROS, (np.array([0.0, 0.0, 3.0]),), np.zeros(3), autograd="NaN")
def product_with_two_zeros(x):
    return np.prod(x)


@trap(ZEROS, (np.array([2.0, 0.0, 3.0]),), np.array([1.0, 8.0, 0.0]), jax="right", pytorch="right")
def running_product_with_a_zero(x):
    return np.sum(np.cumprod(x))


@trap(ZEROS, (np.array([2.0, 0.0, 3.0]),), np.array([0.0, 6.0, 0.0]))
def product_in_a_loop_with_a_zero(x):
    p = 1.0
    for i in range(len(x)):
        p *= x[i]
    return p


@trap(KINKS, (0.0,), 0.0, jax="1", pytorch="0", autograd="0")
def absolute_value_at_zero(x):
    return abs(x)


@trap(KINKS, (np.array([1.0, 1.0]),), np.array([0.5, 0.5]), pytorch="halves; max(dim): the first")
def largest_of_equals(x):
    return np.max(x)


@trap(KINKS, (1.0, 1.0), (0.5, 0.5), argnums=(0, 1))
def larger_of_equals(x, y):
    return np.maximum(x, y)


@trap(KINKS, (0.0, 0.0), (0.0, 0.0), argnums=(0, 1), jax="NaN", pytorch="0")
def angle_of_the_origin(y, x):
    return np.arctan2(y, x)


@trap(KINKS, (0.0, 2.0), (0.0, 0.0), argnums=(0, 1), jax="0", pytorch="0", autograd="0")
def zero_to_a_power(x, y):
    return x**y


@trap(KINKS, (-2.0,), 12.0)
def negative_base(x):
    return x**3


@trap(KINKS, (0.0,), 0.0)
def square_at_zero(x):
    return x**2


@trap(KINKS, (0.0,), 0.5)
def rectifier_at_zero(x):
    return np.maximum(x, 0.0)


@trap(KINKS, (np.array([1.0, 0.5, 2.0]),), np.array([0.5, 1.0, 0.0]))
def clip_at_and_beyond_its_bound(x):
    return np.sum(np.clip(x, 0.0, 1.0))


@trap(KINKS, (np.array([2.0, 1.0, 1.0]),), np.array([100.0, 1.0, 10.0]))
def sorting_with_a_tie(x):
    s = np.sort(x)
    return s[0] + 10.0 * s[1] + 100.0 * s[2]


@trap(KINKS, (1000.0,), 1.0, jax="NaN as log(1 + exp(x))", pytorch="NaN")
def softplus_of_a_large_number(x):
    return np.logaddexp(0.0, x)


@trap(RANGE, (np.arange(3.0), 10), refused=IndexError, jax="gradient on the last element", numba="garbage")
def element_ten_of_three(x, k):
    return x[k] * 2.0


@trap(RANGE, (np.arange(3.0), -4), refused=IndexError)
def too_negative_an_index(x, k):
    return x[k] * 2.0


@trap(CONSTANTS, (np.array([0.5, 0.0]),), np.array([-4.0 / np.pi, 0.0]), enzyme="a wrong constant in sinc")
def normalised_sinc(x):
    return np.sum(np.sinc(x))


@trap(CONSTANTS, (8.0,), 1.0 / 12.0, futhark="cbrt64 in single precision")
def cube_root(x):
    return np.cbrt(x)


@trap(CONSTANTS, (np.float32(2.0),), np.float32(12.0))
def single_precision_stays_single(x):
    return x * x * x


@trap(CONSTANTS, (np.array([[0.3, 0.4]], np.float32), np.array([[0.5, 0.2]], np.float32)),
      (np.array([[1.4705882, 0.0]], np.float32), np.array([[-0.88235295, 0.0]], np.float32)),
      argnums=(0, 1), pytorch="compiled: off by 0.14 and 0.41")  # fmt: skip
def smallest_angle(x, y):
    return np.sum(np.min(np.arctan2(x, y), axis=-1))


@trap(NANS, (np.array([np.nan, 2.0]),), np.array([0.0, 4.0]), numba="fast-math removes the test", tinygrad="issue 5282")
def squares_that_are_numbers(x):
    return np.sum(np.where(np.isnan(x), 0.0, x * x))


@trap(NANS, (np.array([np.inf, 2.0]),), np.array([0.0, 1.0]))
def finite_ones(x):
    s = 0.0
    for i in range(len(x)):
        if np.isfinite(x[i]):
            s += x[i]
    return s


@trap(REFUSED, (3,), refused=TypeError, jax="refused", autograd="refused")
def integer_argument(n):
    return n * 2.0


@trap(REFUSED, (np.arange(3),), refused=TypeError)
def integer_array(x):
    return np.sum(x * 2.0)


@trap(REFUSED, (np.ones(3),), refused=TypeError)
def result_is_an_array(x):
    return x * 2.0
