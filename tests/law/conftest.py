"""The ways to run a function that must agree with plain Python."""

import pytest

import tapeless as tp

from .runner import interpret


def compiled(function, args):
    """The result of the compiled function."""
    return tp.jit(function)(*args)


@pytest.fixture(params=[interpret, compiled], ids=["interpreted", "compiled"])
def run(request):
    """A function (function, args) -> result."""
    return request.param
