"""The entry point: what it takes, what it refuses, what it returns, and that it leaks nothing."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

from tapeless.runtime import host
from tapeless.runtime.call import MISS, PLAIN, bind, call_prepared
from tapeless.runtime.signature import ANY, Param, Result, Signature, dims, same

from .runtime_kernels import ADD_INTO, FAIL, NAP, SCALE, builtin, echo, link, raise_code

VECTOR = Param("array", "f64", (ANY,))
SCALE_SIGNATURE = Signature((VECTOR, Param("float", "f64")), (Result("array", "f64", 1),), (0,))
ADD_SIGNATURE = Signature(
    (Param("array", "f64", (ANY,), written=True), VECTOR), (Result("array", "f64", 1, donor=0),), (~0,)
)


@pytest.fixture(scope="module")
def scale():
    return builtin(SCALE_SIGNATURE, SCALE)


@pytest.fixture(scope="module")
def add_into():
    return builtin(ADD_SIGNATURE, ADD_INTO)


def test_array_result_is_an_ordinary_array(scale):
    x = np.arange(8.0)
    result = scale(x, 2.5)
    np.testing.assert_array_equal(result, x * 2.5)
    assert type(result) is np.ndarray
    assert result.dtype is np.dtype(np.float64)
    assert result.base is None
    assert result.flags.owndata
    assert result.flags.writeable
    assert result.flags.c_contiguous
    assert result.flags.aligned
    result.resize(1000, refcheck=False)  # goes through our memory handler
    np.testing.assert_array_equal(result[:8], x * 2.5)


def test_pickled_array_has_its_own_dtype_object(scale):
    x = pickle.loads(pickle.dumps(np.arange(4.0)))
    assert x.dtype is not np.dtype(np.float64)
    np.testing.assert_array_equal(scale(x, 2.0), x * 2)


def test_empty_array(scale):
    assert scale(np.zeros(0), 1.0).shape == (0,)


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (np.zeros(4),),
        (np.zeros(4), 1.0, 2.0),
        (np.zeros(4), 1),
        (np.zeros(4), True),
        (np.zeros(4), np.float64(1)),
        (np.zeros(4, np.float32), 1.0),
        (np.zeros(4, np.int64), 1.0),
        (np.zeros(4, ">f8"), 1.0),
        (np.zeros((4, 4)), 1.0),
        (np.array(1.0), 1.0),
        (np.zeros(1), 1.0),
        (np.zeros(8)[::2], 1.0),
        (np.frombuffer(bytes(33), np.uint8)[1:].view(np.float64), 1.0),
        (np.zeros(4).view(Sub), 1.0),
        ([0.0, 1.0], 1.0),
        (None, 1.0),
        (object(), object()),
    ],
)
def test_anything_else_is_a_miss(scale, arguments):
    before = host.memory()
    assert scale(*arguments) is MISS
    assert host.memory() == before


def test_sizes_of_one_name_must_agree():
    assert dims([("n", 3), (), ("m", "n"), ("n",), ("m",)]) == [(ANY, 3), (), (ANY, same(1)), (same(1),), (same(5),)]
    (outer, inner) = dims([("n",), ("n",)])
    signature = Signature((Param("array", "f64", outer, written=True), Param("array", "f64", inner)), (), (~0,))
    add = builtin(signature, ADD_INTO)
    assert add(np.ones(4), np.ones(4)) is not MISS
    assert add(np.ones(4), np.ones(5)) is MISS
    assert call_prepared(signature, add, (np.ones(4), np.ones(10)[::2])) is PLAIN
    assert call_prepared(signature, add, (np.ones(5), np.ones(10)[::2])) is not PLAIN


@pytest.mark.parametrize("size", [3, 4])
def test_literal_sizes(size):
    signature = Signature((Param("array", "f64", (3,)), Param("float", "f64")), (Result("array", "f64", 1),), (0,))
    answer = builtin(signature, SCALE)(np.ones(size), 2.0)
    assert (answer is MISS) == (size != 3)


@pytest.mark.parametrize(
    ("kind", "dtype", "value"),
    [
        ("int", "i64", -5),
        ("int", "i64", 2**63 - 1),
        ("float", "f64", -0.0),
        ("bool", "bool", True),
        ("bool", "bool", False),
        ("scalar", "f64", np.float64(1.5)),
        ("scalar", "f32", np.float32(-1.5)),
        ("scalar", "i32", np.int32(-7)),
        ("scalar", "i64", np.int64(2**62)),
        ("scalar", "bool", np.bool_(True)),
    ],
)
def test_scalars_come_back_as_they_went(kind, dtype, value):
    function = builtin(Signature((Param(kind, dtype),), (Result(kind, dtype),), (0,)), echo(1))
    answer = function(value)
    assert type(answer) is type(value)
    assert repr(answer) == repr(value)
    assert function("no") is MISS


def test_int_out_of_range_is_left_to_python():
    signature = Signature((Param("int", "i64"),), (Result("int", "i64"),), (0,))
    function = builtin(signature, echo(1))
    assert function(2**63) is MISS
    assert call_prepared(signature, function, (2**63,)) is PLAIN


def test_outputs_none_one_and_many():
    params = (Param("int", "i64"), Param("float", "f64"))
    results = (Result("int", "i64"), Result("float", "f64"))

    def with_outputs(*outputs):
        return builtin(Signature(params, results, outputs), echo(2))(7, 2.5)

    assert with_outputs() is None
    assert with_outputs(1) == 2.5
    assert with_outputs(1, 0, 0) == (2.5, 7, 7)
    assert with_outputs(~1, 0) == (2.5, 7)


def test_writes_in_place_and_returns_the_argument(add_into):
    y, x = np.ones(4), np.arange(4.0)
    assert add_into(y, x) is y
    np.testing.assert_array_equal(y, [1, 2, 3, 4])


def test_overlap_with_a_written_argument_is_a_miss(add_into):
    base = np.arange(10.0)
    assert add_into(base[:4], base[3:7]) is MISS
    assert add_into(base, base) is MISS
    assert call_prepared(ADD_SIGNATURE, add_into, (base[:4], base[3:7])) is PLAIN
    assert add_into(base[:4], base[4:8]) is not MISS
    np.testing.assert_array_equal(base[:4], [4, 6, 8, 10])
    assert add_into(base[2:2], base) is not MISS


def test_read_only_target_is_left_to_python(add_into):
    y = np.ones(4)
    y.flags.writeable = False
    assert add_into(y, np.ones(4)) is MISS
    assert call_prepared(ADD_SIGNATURE, add_into, (y, np.ones(4))) is PLAIN


def _misaligned(values):
    raw = np.zeros(8 * len(values) + 1, np.uint8)[1:].view(np.float64)
    raw[:] = values
    return raw


@pytest.mark.parametrize(
    "make",
    [
        lambda v: np.repeat(v, 2)[::2],
        lambda v: v[::-1],
        lambda v: v.astype(">f8"),
        _misaligned,
        lambda v: np.asfortranarray(np.tile(v, (3, 1)))[1],
    ],
)
def test_prepared_arguments_are_read_and_written(add_into, make):
    x = make(np.arange(4.0))
    y = make(np.ones(4))
    expected = np.asarray(y) + np.asarray(x)
    assert call_prepared(ADD_SIGNATURE, add_into, (y, x)) is y
    np.testing.assert_array_equal(y, expected)


def test_interleaved_views_do_not_overlap(add_into):
    base = np.arange(8.0)
    assert call_prepared(ADD_SIGNATURE, add_into, (base[::2], base[1::2])) is not PLAIN
    np.testing.assert_array_equal(base, [1, 1, 5, 3, 9, 5, 13, 7])


def test_array_that_meets_itself_is_left_to_python(add_into):
    window = np.lib.stride_tricks.as_strided(np.zeros(8), (4,), (4,))
    assert call_prepared(ADD_SIGNATURE, add_into, (window, np.ones(4))) is PLAIN


def test_memmap_subclass_and_foreign_objects(scale, tmp_path):
    class Foreign:
        def __init__(self, array):
            self.array = array
            self.__array_interface__ = array.__array_interface__

    class Capsule:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = np.arange(4.0)
    mapped = np.memmap(tmp_path / "m", np.float64, "w+", shape=4)
    mapped[:] = x
    for value in (Foreign(x), Capsule(x), mapped):
        np.testing.assert_array_equal(call_prepared(SCALE_SIGNATURE, scale, (value, 2.0)), 2 * x)
    assert call_prepared(SCALE_SIGNATURE, scale, (x.view(Sub), 2.0)) is PLAIN


def test_two_names_of_the_same_integer():
    signature = Signature((Param("scalar", "i64"),), (Result("scalar", "i64"),), (0,))
    function = builtin(signature, echo(1))
    assert call_prepared(signature, function, (np.longlong(5),)) == 5
    assert call_prepared(signature, function, (np.array(5),)) == 5


def test_wrong_kinds_are_type_errors(scale):
    for arguments in ((np.zeros(4), 1), (np.zeros((2, 2)), 1.0), (np.zeros(4, np.int64), 1.0), ("x", 1.0), ()):
        with pytest.raises(TypeError):
            call_prepared(SCALE_SIGNATURE, scale, arguments)


def test_faults_reach_the_callback():
    function = builtin(Signature((Param("int", "i64"),), (Result("array", "f64", 1),), (0,)), FAIL)
    with pytest.raises(RuntimeError, match="fault 4 11 -3"):
        function(4)
    with pytest.raises(RuntimeError, match="fault -2 11 -3"):
        function(-2)


def test_builtin_keeps_what_it_needs():
    class Owner:
        pass

    address, code = link(FAIL)
    owner = Owner()
    count = sys.getrefcount(owner)
    function = bind(Signature((Param("int", "i64"),), (), ()), address, raise_code, (owner, code))
    assert sys.getrefcount(owner) == count + 1
    with pytest.raises(RuntimeError, match="fault 1"):
        function(1)
    del function
    assert sys.getrefcount(owner) == count


def test_nothing_leaks(scale, add_into):
    x, y, miss = np.arange(100.0), np.ones(100), object()
    signature = Signature((Param("int", "i64"),), (Result("array", "f64", 1),), (0,))
    fail = builtin(signature, FAIL)

    def everything():
        scale(x, 2.0)
        add_into(y, x)
        scale(x[::2], 2.0)
        scale(miss, 2.0)
        with pytest.raises(RuntimeError):
            fail(3)

    watched = (x, y, miss, np.dtype(np.float64), MISS, None)
    everything()
    live = host.memory().live_blocks
    gc.collect()
    before = [sys.getrefcount(thing) for thing in watched[:5]]
    tracemalloc.start()
    everything()
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(300):
        everything()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 20_000
    assert [sys.getrefcount(thing) for thing in watched[:5]] == before
    assert host.memory().live_blocks == live


def test_gil_is_released():
    nap = builtin(Signature((Param("int", "i64"),), (Result("int", "i64"),), (0,)), NAP)
    seen = []

    def count():
        while not done.is_set():
            seen.append(time.perf_counter())
            time.sleep(0.001)

    done = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    nap(200_000)
    end = time.perf_counter()
    done.set()
    thread.join()
    assert sum(begin < moment < end for moment in seen) > 5


def test_many_threads_call_at_once(scale):
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).normal(size=50 + seed)
        for k in range(300):
            if not np.array_equal(scale(x, float(k)), x * float(k)):
                wrong.append(seed)

    live = host.memory().live_blocks
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert host.memory().live_blocks == live


def test_signatures_are_validated():
    for make in (
        lambda: Param("array", "f64"),
        lambda: Param("float", "f32"),
        lambda: Param("scalar", "f16"),
        lambda: Param("float", "f64", written=True),
        lambda: Signature((VECTOR,), (Result("array", "f64", 1, donor=0),), ()),
        lambda: Signature((VECTOR,), (), (0,)),
        lambda: Signature((VECTOR,), (), (~1,)),
    ):
        with pytest.raises(ValueError, match=r"."):
            make()
