"""`pytest tests/unit/passes --update-golden` rewrites the golden texts of the passes."""

from __future__ import annotations

import pytest


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden texts instead of comparing")


@pytest.fixture
def update_golden(request):
    return request.config.getoption("--update-golden", default=False)
