"""Running a function by lowering and interpreting it, and comparing with plain Python."""

import copy

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.front.capture import lower, specialise
from tapeless.front.tree import as_flavour, out_leaves, unflatten
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate


def interpret(function, args, kwargs=None):
    """The result of the lowered function under the interpreter; argument arrays are written as the function does."""
    call = specialise(function, args, kwargs or {})
    lowered = lower(function, call.specs)
    check(lowered.function)
    leaves = [*call.leaves, *lowered.hidden_leaves()]
    results = evaluate(lowered.function, [copy.deepcopy(leaf) for leaf in leaves])
    for parameter, result in lowered.function.donated:
        leaves[parameter][...] = results[result]
    flavours = {leaf.index: leaf.flavour for leaf in out_leaves(lowered.out)}
    values = [as_flavour(value, flavours.get(k, "array")) for k, value in enumerate(results)]
    return unflatten(lowered.out, values, leaves)


def outcome(run, function, args):
    """What a call does: its result and the arguments afterwards, or the class of its exception."""
    args = copy.deepcopy(args)
    with np.errstate(all="ignore"):
        try:
            return "value", run(function, args), args
        except Exception as error:
            return "error", builtin_class(error), error


def builtin_class(error):
    """The first class of an exception that plain Python or NumPy defines."""
    return next(cls for cls in type(error).__mro__ if cls.__module__ in ("builtins", "numpy.linalg"))


def assert_same(actual, expected, where="result"):
    """Equal structure, kind (Python or NumPy), dtype, shape and value."""
    if isinstance(expected, np.ndarray | np.generic):
        assert type(actual) is type(expected), f"{where}: {type(actual)} instead of {type(expected)}"
        assert actual.dtype == expected.dtype, f"{where}: {actual.dtype} instead of {expected.dtype}"
        assert np.shape(actual) == np.shape(expected), f"{where}: {np.shape(actual)} instead of {np.shape(expected)}"
        tolerance = 1e-5 if expected.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=where)
    elif isinstance(expected, tuple | list):
        assert type(actual) is type(expected), f"{where}: {type(actual)} instead of {type(expected)}"
        assert len(actual) == len(expected), where
        for k, (a, e) in enumerate(zip(actual, expected, strict=True)):
            assert_same(a, e, f"{where}[{k}]")
    elif isinstance(expected, dict):
        assert list(actual) == list(expected), where
        for key, value in expected.items():
            assert_same(actual[key], value, f"{where}[{key!r}]")
    elif isinstance(expected, float):
        assert type(actual) is float, f"{where}: {type(actual)} instead of float"
        np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-11, err_msg=where)
    elif hasattr(expected, "__dataclass_fields__"):
        assert type(actual) is type(expected), where
        for name in expected.__dataclass_fields__:
            assert_same(getattr(actual, name), getattr(expected, name), f"{where}.{name}")
    else:
        assert type(actual) is type(expected), f"{where}: {type(actual)} instead of {type(expected)}"
        assert actual == expected, f"{where}: {actual!r} instead of {expected!r}"


def plain(function, args):
    """Plain Python."""
    return function(*args)


def assert_law(run, function, args, mixed=False):
    """Compiled and plain agree in everything that a caller can see.

    `mixed` allows a NumPy scalar where this run of plain Python gives a Python number.
    """
    kind, value, after = outcome(plain, function, args)
    got_kind, got, got_after = outcome(run, function, args)
    if kind == "error":
        assert got_kind == "error", f"plain Python raises {value.__name__}, we return {got!r}"
        assert issubclass(got, value) or issubclass(value, got), (
            f"{got.__name__} instead of {value.__name__}: {got_after}"
        )
        return
    if got_kind == "error":
        raise got_after
    if mixed:
        assert got == value
    else:
        assert_same(got, value)
    assert_same(got_after, after, "arguments")
