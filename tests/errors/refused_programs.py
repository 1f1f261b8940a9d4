"""Programs outside the language. The line that must be named carries the comment `# here`."""

# ruff: noqa: ARG001, B007, C416, F401, F841, PLW0603, RET503, RUF005, RUF059, RUF100, SIM115

import itertools
import random
from dataclasses import dataclass

import numpy as np

THINGS = {"a": 1}


class Plain:
    def __init__(self):
        self.k = 1.0

    def method(self, x):
        return x


PLAIN = Plain()


@dataclass(frozen=True)
class Frozen:
    a: float


@dataclass
class Open:
    a: float


class OtherError(Exception):
    pass


def use_try(x):
    try:  # here
        return 1 / x
    except ZeroDivisionError:
        return 0.0


def use_with(x):
    with open("f") as f:  # here
        return x


def use_class(x):
    class A:  # here
        pass

    return x


def use_del(x):
    y = x
    del y
    return y + x  # noqa: F821


def delete_item_of_array(x):
    del x[0]  # here
    return x


def use_global(x):
    global THINGS  # here
    THINGS = x
    return x


def use_nonlocal(x):
    def inner():
        nonlocal x  # here
        x = 1

    inner()
    return x


def use_yield(x):
    for i in range(3):
        yield x * i  # here


def use_generator_function(x):
    s = 0.0
    for v in _numbers(x):
        s += v
    return s


def _numbers(x):
    yield x  # here
    yield 2 * x


def use_async(x):
    async def f():  # here
        return 1

    return x


def use_match(x):
    match x:  # here
        case 1:
            return 2
    return x


def use_set(x):
    s = {1, 2, 3}  # here
    return x


def use_set_comprehension(x):
    s = {k for k in range(3)}  # here
    return x


def use_fstring(x):
    s = f"{x}"  # here
    return x


def use_complex(x):
    return x * 2j  # here


def use_bytes(x):
    b = b"abc"  # here
    return x


def unknown_name(x):
    return x + undefined_thing  # noqa: F821  # here


def misspelt_local(x):
    total = x
    return totel  # noqa: F821  # here


def misspelt_numpy(x):
    return np.sinn(x)  # here


def misspelt_method(x):
    return x.summ()  # here


def unsupported_numpy(x):
    return np.fft.fft(x)  # here


def unsupported_module(x):
    return random.random() * x  # here


def unsupported_builtin(x):
    return hash(x)  # here


def use_print(x):
    print(x)  # here
    return x


def use_open(x):
    open("file")  # here
    return x


def use_itertools(x):
    for a in itertools.accumulate(x):  # here
        pass
    return x


def use_vectorize(x):
    return np.vectorize(lambda v: v * 2)(x)  # here


def use_filter(x):
    return list(filter(lambda v: v > 0, x))  # here


def iterator_used_twice(x):
    pairs = zip(x, x, strict=True)
    total = 0.0
    for a, b in pairs:
        total += a * b
    for a, b in pairs:  # here
        total += a * b
    return total


def raise_two_arguments(x):
    if x > 0:
        raise ValueError("positive", 3)  # here
    return x


def max_of_single_and_python_float(x):
    return max(x, 0.1)  # here


def recursion_at_run_time(x, n):
    return x if n == 0 else x * recursion_at_run_time(x, n - 1)  # here


def swap_sometimes(u, v, n):
    for k in range(n):
        v[0] = u[1] + k
        if u[0] > 0.5:  # here
            u, v = v, u
    return u


def misspelt_keyword(x):
    return np.sum(x, axs=0)  # here


def too_many_arguments(x):
    return _helper(x, 1, 2)  # here


def _helper(a, b=1):
    return a + b


def missing_argument(x):
    return _two(x)  # here


def _two(a, b):
    return a + b


def unknown_keyword(x):
    return _two(x, c=3)  # here


def repeated_argument(x):
    return _two(x, a=3)  # here


def call_a_number(x):
    return x(3)  # here


def recursion(n):
    if n <= 1:
        return 1
    return n * recursion(n - 1)  # here


def mutual_recursion(n):
    return _other(n)


def _other(n):
    return mutual_recursion(n - 1)  # here


def add_string(x):
    return x + "a"  # here


def add_tuple(x):
    return (1, 2) + x  # here


def add_none(x):
    return None * x  # here


def index_by_float(x):
    return x[1.5]  # here


def index_by_string(x):
    return x["a"]  # here


def too_many_indices(x):
    return x[0, 0]  # here


def index_a_number(x):
    return x[0][0]  # here


def slice_by_float(x):
    return x[0.5:]  # here


def slice_step_float(x, k):
    return x[::k]  # here


def slice_step_zero(x):
    return x[::0]  # here


def tuple_out_of_range(x):
    t = (x, x)
    return t[2]  # here


def dynamic_tuple_index(x, i):
    t = (1.0, x)
    return t[i]  # here


def missing_key(x):
    d = {"alpha": x}
    return d["alpah"]  # here


def dynamic_key(x, k):
    d = {1: x}
    return d[k]  # here


def unpack_too_many(x):
    a, b, c = (x, x)  # here
    return a


def unpack_a_number(x):
    a, b = x  # here
    return a


def unpack_star_of_array(x):
    a, *b = x  # here
    return a


def iterate_number(x):
    for v in x:  # here
        pass
    return x


def range_of_float(x):
    for i in range(x):  # here
        pass
    return x


def dynamic_axis(x, k):
    return np.sum(x, axis=k)  # here


def wrong_axis(x):
    return np.sum(x, axis=3)  # here


def shapes_differ(x):
    return np.ones(3) + np.ones(4)  # here


def matmul_shapes(x):
    return np.ones((2, 3)) @ np.ones((2, 3))  # here


def two_types(x, flag):
    if flag:
        y = x
    else:
        y = (x, x)
    return y  # here


def two_ranks(x, flag):
    if flag:
        y = x
    else:
        y = x[0]
    return y  # here


def none_or_number(x, flag):
    y = None
    if flag:
        y = 1.0
    return x * y  # here


def dtype_changes_in_loop(x, n):
    y = np.zeros(3, dtype=np.int64)
    for _ in range(n):
        y = y * 0.5  # here
    return y


def rank_changes_in_loop(x, n):
    for _ in range(n):
        x = x[None]  # here
    return x


def list_grows_in_while(x):
    out = []
    while x > 0.0:
        out.append(x)  # here
        x -= 1.0
    return out


def list_grows_in_inner_loop(x, n):
    out = []
    for i in range(n):
        for j in range(i):  # here
            out.append(x)
    return out


def list_grows_in_both_loops(x, n):
    out = []
    for i in range(n):
        out.append(x)  # here
        for j in range(i):
            out.append(x)
    return out


def _add_one(items, x):
    items.append(x)  # here


def list_grows_in_a_helper(x, n):
    out = []
    for i in range(n):
        out.append(x)
        if x > 0.0:
            _add_one(out, x)
    return out


def list_of_sizes(x, n):
    return [x[:i] for i in range(n)]  # here


def list_of_dicts(x):
    return [{"a": v} for v in x]  # here


def list_of_the_same_array(x, n):
    out = []
    p = np.zeros(2)
    for i in range(n):
        p += x[i]
        out.append(p)  # here
    return np.array(out)


def list_whose_array_is_written(x, n):
    out = []
    p = np.zeros(2)
    for i in range(n):
        p[0] = i  # here
        p = p + x[i]
        out.append(p)  # here
    return np.array(out)


def list_of_rows_is_written(m, n):
    out = []
    for i in range(n):
        out.append(m[i])
    m[0, 0] = 1.0
    return out[0].sum()  # here


def row_in_list_is_written(m):
    rows = [row for row in m]
    rows[0][0] = 1.0
    return m.sum()  # here


def list_of_repeated_lists(n):
    return [[0.0]] * n  # here


def list_of_ints_gets_float(n):
    out = [0] * n
    out[0] = 0.5  # here
    return out


def list_of_lists_appended(n):
    out = [[0.0] for _ in range(n)]
    out[0].append(1.0)  # here
    return out


def dict_comprehension_dynamic(n):
    return {k: 0.0 * k for k in range(n)}  # here


def read_before_assignment(x):
    y = z + x  # noqa: F821  # here
    z = 1
    return y


def return_or_nothing(x):
    if x > 0:  # here
        return 1.0


def ambiguous_alias(x, flag):
    y = x if flag else x.copy()
    y[0] = 1.0
    return x[0]  # here


def ambiguous_swap(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v[:] = u
        u, v = v, u
    u[0] = 1.0
    return v  # noqa: RET504


def array_truth(x):
    if x > 0:  # here
        return 1
    return 0


def compare_chain_of_arrays(x):
    return 0 < x < 1  # here


def in_array(x):
    return 3.0 in x  # here


def is_between_numbers(x):
    y = 3.0
    return x is y  # here


def invert_float(x):
    return ~x  # here


def shift_float(x):
    return x << 2  # here


def float_into_int_array(x):
    y = np.zeros(3, dtype=np.int64)
    y += x[:3]  # here
    return y


def assign_wrong_shape(x):
    y = np.zeros(3)
    y[:] = np.ones(4)  # here
    return y


def assign_to_tuple(x):
    t = (1, 2)
    t[0] = 3  # here
    return x


def assign_attribute(x):
    x.name = 3  # here
    return x


def frozen_field(x):
    f = Frozen(x)
    f.a = 2.0  # here
    return f.a


def unknown_field(x):
    o = Open(x)
    return o.b  # here


def missing_field(x):
    return Open()  # here


def make_plain_object(x):
    p = Plain()  # here
    return x


def plain_attribute(x):
    return PLAIN.k * x  # here


def plain_method(x):
    return PLAIN.method(x)  # here


def change_argument_list(items):
    items[0] = 1.0  # here
    return items


def change_captured_dict(x):
    THINGS["a"] = 2  # here
    return x


def huge_integer(x):
    return x + 2**70  # here


def raise_local_exception(x):
    if x > 0:
        raise THINGS  # here
    return x


def return_function(x):
    return lambda y: y + x


def endless(x):
    while True:  # here
        x = x + 1


def zero_step(x):
    for i in range(0, 3, 0):  # here
        pass
    return x


def zip_strict_lengths(x):
    for a, b in zip((1, 2), (1, 2, 3), strict=True):  # here
        x = x + a
    return x


def relative_import(x):
    from . import nothing  # here

    return x


def negative_size(x):
    return np.zeros(-3)  # here


def unsupported_dtype(x):
    return x.astype(np.complex128)  # here


def two_unknown_sizes(x):
    return x.reshape(-1, -1)  # here


def reshape_wrong_count(x):
    return np.zeros(6).reshape(4, 2)  # here


def write_in_map(x):
    import tapeless as tp

    out = np.zeros(3)

    def body(v):
        out[0] = v
        return v

    return tp.map(body, x)  # here


def other_slices(x):
    for k in range(1, len(x)):  # here
        if x[k] > 0.5:
            return x[:k]
    return x


def lists_of_other_lengths(x):
    if x > 0.0:
        out = [x]
    else:
        out = []
    return out  # here


def longer_on_one_path(x):
    out = []
    if x > 0.0:
        out.append(x)
    return out


def decorated_nested(x):
    @_helper
    def f(y):  # here
        return y

    return f(x)


def call_method_of_float(x):
    return x.hex()  # here


def sort_a_matrix(x):
    return sorted(np.outer(x, x))  # here


X = np.array([1.0, 2.0, 3.0])
# program, arguments, code, words that the message must contain
CASES = [
    (use_try, (1.0,), "TP101", ["try/except"]),
    (use_with, (1.0,), "TP101", ["with"]),
    (use_class, (1.0,), "TP101", ["class", "dataclass"]),
    (use_del, (1.0,), "TP116", ["'y'"]),
    (delete_item_of_array, (X,), "TP101", ["deleted"]),
    (use_vectorize, (X,), "TP103", ["vectorize", "tp.map"]),
    (use_filter, (X,), "TP103", ["filter", "comprehension"]),
    (iterator_used_twice, (X,), "TP112", ["'pairs'", "list"]),
    (raise_two_arguments, (1.0,), "TP101", ["message"]),
    (max_of_single_and_python_float, (np.float32(1.0),), "TP104", ["np.float32"]),
    (recursion_at_run_time, (1.0, 3), "TP109", ["loop"]),
    (swap_sometimes, (X, X.copy(), 3), "TP107", ["u = u.copy()"]),
    (use_global, (1.0,), "TP101", ["global"]),
    (use_nonlocal, (1.0,), "TP101", ["nonlocal"]),
    (use_yield, (1.0,), "TP101", ["yield"]),
    (use_generator_function, (1.0,), "TP101", ["yield"]),
    (use_async, (1.0,), "TP101", ["async"]),
    (use_match, (1.0,), "TP101", ["match", "if/elif"]),
    (use_set, (1.0,), "TP101", ["set"]),
    (use_set_comprehension, (1.0,), "TP101", ["set comprehension"]),
    (use_fstring, (1.0,), "TP101", ["f-string"]),
    (use_complex, (1.0,), "TP104", ["2j"]),
    (use_bytes, (1.0,), "TP104", ["abc"]),
    (unknown_name, (1.0,), "TP102", ["undefined_thing"]),
    (misspelt_local, (1.0,), "TP102", ["totel", "did you mean 'total'"]),
    (misspelt_numpy, (1.0,), "TP113", ["sinn", "did you mean 'sin"]),
    (misspelt_method, (X,), "TP113", ["summ", "did you mean 'sum'"]),
    (unsupported_numpy, (X,), "TP103", ["fft"]),
    (unsupported_module, (1.0,), "TP103", ["random"]),
    (unsupported_builtin, (1.0,), "TP103", ["hash"]),
    (use_print, (1.0,), "TP104", ["print", "outside"]),
    (use_open, (1.0,), "TP103", ["open"]),
    (use_itertools, (X,), "TP103", ["accumulate", "cumsum"]),
    (misspelt_keyword, (X,), "TP114", ["axs", "did you mean 'axis'"]),
    (too_many_arguments, (1.0,), "TP114", ["_helper", "2", "3"]),
    (missing_argument, (1.0,), "TP114", ["'b'"]),
    (unknown_keyword, (1.0,), "TP114", ["'c'"]),
    (repeated_argument, (1.0,), "TP114", ["two values", "'a'"]),
    (call_a_number, (1.0,), "TP114", ["cannot be called"]),
    (recursion, (3,), "TP109", ["recursion", "calls itself", "loop"]),
    (mutual_recursion, (3,), "TP109", ["calls itself"]),
    (add_string, (1.0,), "TP105", ["+", "string"]),
    (add_tuple, (1.0,), "TP105", ["tuple"]),
    (add_none, (1.0,), "TP105", ["None"]),
    (index_by_float, (X,), "TP115", ["integer", "float"]),
    (index_by_string, (X,), "TP115", ["integer", "string"]),
    (too_many_indices, (X,), "TP115", ["1 dimension", "2"]),
    (index_a_number, (X,), "TP105", ["cannot be indexed"]),
    (slice_by_float, (X,), "TP105", ["slice", "integers"]),
    (slice_step_float, (X, 2.0), "TP105", ["step"]),
    (slice_step_zero, (X,), "TP115", ["zero"]),
    (tuple_out_of_range, (1.0,), "TP115", ["index 2"]),
    (dynamic_tuple_index, (1.0, 0), "TP108", ["np.array"]),
    (missing_key, (1.0,), "TP119", ["alpah", "did you mean 'alpha'"]),
    (dynamic_key, (1.0, 1), "TP108", ["key"]),
    (unpack_too_many, (1.0,), "TP118", ["2", "3"]),
    (unpack_a_number, (1.0,), "TP105", ["cannot be unpacked"]),
    (unpack_star_of_array, (X,), "TP118", ["star"]),
    (iterate_number, (1.0,), "TP105", ["for loop", "float"]),
    (range_of_float, (1.0,), "TP105", ["range()", "int(...)"]),
    (dynamic_axis, (X, 0), "TP108", ["axis"]),
    (wrong_axis, (X,), "TP106", ["axis 3"]),
    (shapes_differ, (X,), "TP106", ["3", "4"]),
    (matmul_shapes, (X,), "TP106", ["3", "2"]),
    (two_types, (1.0, True), "TP112", ["two types", "tuple"]),
    (two_ranks, (X, True), "TP112", ["two types", "array"]),
    (none_or_number, (1.0, True), "TP112", ["None"]),
    (dtype_changes_in_loop, (X, 2), "TP112", ["i64", "f64"]),
    (rank_changes_in_loop, (X, 2), "TP112", ["dimensional"]),
    (list_grows_in_while, (1.0,), "TP108", ["list", "count"]),
    (list_grows_in_inner_loop, (1.0, 3), "TP108", ["list", "count"]),
    (list_grows_in_both_loops, (1.0, 3), "TP108", ["length", "count"]),
    (list_grows_in_a_helper, (1.0, 3), "TP108", ["grow", "count"]),
    (list_of_sizes, (X, 3), "TP108", ["different sizes"]),
    (list_of_dicts, (X,), "TP108", ["a dict", "tuples"]),
    (list_of_the_same_array, (X, 3), "TP107", ["same array", "copy"]),
    (list_whose_array_is_written, (X, 3), "TP107", ["same array", "copy"]),
    (list_of_rows_is_written, (np.ones((3, 2)), 3), "TP107", ["same array"]),
    (row_in_list_is_written, (np.ones((3, 2)),), "TP107", ["same array"]),
    (list_of_repeated_lists, (3,), "TP108", ["comprehension"]),
    (list_of_ints_gets_float, (3,), "TP105", ["[0.0] * n"]),
    (list_of_lists_appended, (3,), "TP108", ["grow"]),
    (dict_comprehension_dynamic, (3,), "TP108", ["length"]),
    (read_before_assignment, (1.0,), "TP116", ["'z'"]),
    (return_or_nothing, (1.0,), "TP112", ["None"]),
    (ambiguous_alias, (X, True), "TP107", ["copy", "same array"]),
    (ambiguous_swap, (X, 2), "TP107", ["same array"]),
    (array_truth, (X,), "TP106", ["truth", "np.any"]),
    (compare_chain_of_arrays, (X,), "TP106", ["truth"]),
    (in_array, (X,), "TP104", ["np.any"]),
    (is_between_numbers, (1.0,), "TP104", ["=="]),
    (invert_float, (1.0,), "TP104", ["~"]),
    (shift_float, (X,), "TP104", []),
    (float_into_int_array, (X,), "TP104", ["float64", "int64"]),
    (assign_wrong_shape, (X,), "TP106", ["3", "4"]),
    (assign_to_tuple, (1.0,), "TP105", ["tuple"]),
    (assign_attribute, (X,), "TP113", ["attributes"]),
    (frozen_field, (1.0,), "TP113", ["frozen", "replace"]),
    (unknown_field, (1.0,), "TP113", ["'b'"]),
    (missing_field, (1.0,), "TP105", ["'a'"]),
    (make_plain_object, (1.0,), "TP103", ["Plain", "dataclass"]),
    (plain_attribute, (1.0,), "TP113", ["Plain"]),
    (plain_method, (1.0,), "TP113", ["Plain"]),
    (change_argument_list, ([1.0, 2.0],), "TP104", ["list", "passed in"]),
    (change_captured_dict, (1.0,), "TP104", ["dict"]),
    (huge_integer, (1,), "TP104", ["64 bits"]),
    (raise_local_exception, (1.0,), "TP101", ["exception"]),
    (return_function, (1.0,), "TP104", ["return a function"]),
    (endless, (1.0,), "TP101", ["never ends"]),
    (zero_step, (1.0,), "TP118", ["zero"]),
    (zip_strict_lengths, (1.0,), "TP118", ["different lengths"]),
    (relative_import, (1.0,), "TP101", ["import"]),
    (negative_size, (X,), "TP106", ["negative"]),
    (unsupported_dtype, (X,), "TP104", ["complex128"]),
    (two_unknown_sizes, (X,), "TP106", ["-1"]),
    (reshape_wrong_count, (X,), "TP106", ["6", "8"]),
    (write_in_map, (X,), "TP104", ["parallel operator"]),
    (decorated_nested, (1.0,), "TP101", ["decorator"]),
    (call_method_of_float, (1.0,), "TP113", ["hex"]),
    (sort_a_matrix, (X,), "TP104", ["np.argsort"]),
    (other_slices, (X,), "TP112", ["computed anew", "`break`"]),
    (lists_of_other_lengths, (1.0,), "TP112", ["a list of 1", "a list of 0", "a count"]),
    (longer_on_one_path, (1.0,), "TP108", ["a list of 1", "a list of 0", "a count"]),
]
