"""Functions of integers must come back to the last bit."""

import numpy as np

import tapeless as tp


def comes_back(function, numbers):
    """Compiled, a function makes of an array what it makes of it as it is; and back there is what there was."""
    run = tp.reversible(strict=True)(function)
    plain, x = numbers.copy(), numbers.copy()
    with np.errstate(over="ignore"):
        function(plain)
    run(x)
    np.testing.assert_array_equal(x, plain)
    assert np.any(x != numbers)
    (~run)(x)
    np.testing.assert_array_equal(x, numbers)
