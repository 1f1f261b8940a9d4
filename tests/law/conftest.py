"""The ways to run a function that must agree with plain Python."""

import pytest
from .runner import interpret


@pytest.fixture(params=[interpret], ids=["interpreted"])
def run(request):
    """A function (function, args) -> result."""
    return request.param
