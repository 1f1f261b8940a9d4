"""Reverse mode judged: the dot test against 60-digit differences, and all entries against forward mode."""

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ad.functions import jvp_function, vjp_function
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers import NUMPY_TYPES
from tapeless.testing.oracle import Oracle, deviation, flat

from .jvp_harness import directions


def floats(types):
    return [k for k, type in enumerate(types) if type.dtype.is_float]


def vjp(function, plan=None):
    """The reverse derivative by all float parameters."""
    derived = vjp_function(function, floats([param.type for param in function.params]), plan)
    check(derived)
    return derived


def reverse_agrees(function, args, *, seed=7, tolerance=1e-18, rounding=1e-10, plan=None):
    """<J'w, v> = <w, J v> for the oracle's J v, and nearly so by machine: that derivative and its arguments."""
    direction = directions(function, args)
    slope = Oracle(function).slope(args, direction)
    assert not slope.kink
    rng = np.random.default_rng(seed)
    weights = [
        rng.uniform(-1.0, 1.0, np.shape(along)).astype(NUMPY_TYPES[type.dtype])[()]
        for along, type in zip(slope.along, function.result_types, strict=True)
        if along is not None
    ]
    derived = vjp(function, plan)
    given, count = [*args, *weights], len(function.body.results)
    exact, near = Oracle(derived).evaluate(given).results, evaluate(derived, given)
    for found, expected in zip(exact[:count], slope.value.results, strict=True):
        assert np.shape(found) == np.shape(expected)
        assert np.array_equal(found, expected) or deviation(found, expected) < 1e-40
    adjoints = exact[count:]
    tangents = [along for along in direction if along is not None]
    assert [np.shape(x) for x in adjoints] == [np.shape(v) for v in tangents]
    left, left_size = _dot(weights, [along for along in slope.along if along is not None])
    right, right_size = _dot(adjoints, tangents)
    assert abs(left - right) <= tolerance * max(left_size, right_size, 1), f"<w, Jv> = {left}, <J'w, v> = {right}"
    for x, y in zip(near[count:], adjoints, strict=True):
        np.testing.assert_allclose(np.ravel(x), [float(v) for v in flat(y)], rtol=rounding, atol=rounding)
    return derived, given


def jacobians(function, args):
    """The derivative of all results by all float arguments, each flat, by forward and by reverse mode."""
    active = floats([param.type for param in function.params])
    forward, reverse = jvp_function(function, active), vjp(function)
    values, count = evaluate(function, args), len(function.body.results)
    inputs, outputs = [args[k] for k in active], [values[k] for k in floats(function.result_types)]
    columns = [_joined(evaluate(forward, [*args, *unit])[count:]) for unit in _units(inputs)]
    rows = [_joined(evaluate(reverse, [*args, *unit])[count:]) for unit in _units(outputs)]
    width, height = len(_joined(inputs)), len(_joined(outputs))
    return np.reshape(columns, (width, height)).T, np.reshape(rows, (height, width))


def _dot(left, right):
    terms = [
        _plain(x) * _plain(y)
        for xs, ys in zip(left, right, strict=True)
        for x, y in zip(flat(xs), flat(ys), strict=True)
    ]
    return sum(terms), sum(abs(x) for x in terms)


def _plain(x):
    """A number that takes on the precision of the long one it is multiplied by."""
    return float(x) if isinstance(x, np.floating) else x


def _joined(values):
    return np.concatenate([np.ravel(np.asarray(value, float)) for value in values]) if values else np.zeros(0)


def _units(values):
    """The unit vectors of the space of these values."""
    for k, value in enumerate(values):
        for n in range(np.size(value)):
            unit = [np.zeros(np.shape(x), np.asarray(x).dtype) for x in values]
            unit[k].flat[n] = 1.0
            yield [x[()] for x in unit]
