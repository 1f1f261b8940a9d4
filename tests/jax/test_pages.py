"""The pages of the documentation that need JAX are true."""

import pytest
from tests.unit.docs.pages import JAX_PAGES, check


@pytest.mark.parametrize("page", JAX_PAGES, ids=lambda page: page.name)
def test_examples(page, tmp_path):
    check(page, tmp_path)
