"""The tasks on jax.numpy compute what they compute on NumPy."""

import numpy as np
import pytest
from tasks import TASKS, for_jax

pytest.importorskip("jax")


@pytest.mark.parametrize("task", [task for task in TASKS.values() if task.function], ids=lambda task: task.name)
def test_the_functions_for_jax_are_the_same(task):
    arguments = task.arguments()
    expected, found = (function(*arguments) for function in (task.function, for_jax(task)))
    pairs = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
    for one, other in pairs:
        np.testing.assert_allclose(other, one, rtol=2e-4, atol=1e-5)
