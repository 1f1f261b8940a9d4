"""The ways to run a function that must agree with plain Python."""

from functools import cache

import pytest

import tapeless as tp

from .runner import interpret


@cache
def jitted(function):
    """One compiled function for all calls, so that each call may also meet the code of another's types."""
    return tp.jit(function)


def compiled(function, args):
    """The result of the compiled function."""
    return jitted(function)(*args)


@pytest.fixture(params=[interpret, compiled], ids=["interpreted", "compiled"])
def run(request):
    """A function (function, args) -> result."""
    return request.param
