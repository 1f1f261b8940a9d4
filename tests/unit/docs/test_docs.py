"""The documentation is true: its examples run and give what they say, and generated pages are up to date."""

import doctest
import importlib.util
import re
import sys

import pytest

from tapeless import api, operators, rules
from tapeless.errors import TapelessError
from tapeless.report import examples, table

from .pages import JAX_PAGES, PAGES, ROOT, check


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "errors.md" and page not in JAX_PAGES], ids=lambda page: page.name
)
def test_examples(page, tmp_path):
    before = "jax" in sys.modules
    check(page, tmp_path)
    assert before or "jax" not in sys.modules, "list this page in JAX_PAGES"


@pytest.fixture(scope="module")
def generator():
    """The module tools/generate_docs.py."""
    tools = str(ROOT / "tools")
    sys.path.insert(0, tools)
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "tools" / "generate_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(tools)
    return module


def test_generated_pages_are_up_to_date(generator):
    for name, text in generator.pages().items():
        assert (ROOT / "docs" / name).read_text() == text, f"docs/{name}: run `make docs`"


def test_every_error_has_a_code_a_page_and_an_example(generator):
    classes = [cls for cls in generator.error_classes() if cls.__module__.startswith("tapeless.")]
    codes = [cls.code for cls in classes]
    assert len(set(codes)) == len(codes)
    roots = {"TP000", "TP100", "TP500"}
    assert set(codes) - roots == set(generator.EXAMPLES)
    for cls in classes:
        assert cls.__doc__, cls
        assert issubclass(cls, TapelessError)


def test_at_least_120_names_are_known(generator):
    assert len(re.findall(r"`(?:np|math)\.\w+`", generator.names_page())) >= 120


@pytest.mark.parametrize("module", [api, operators, rules, table, examples], ids=lambda module: module.__name__)
def test_doctests(module):
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def test_links_between_pages():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
