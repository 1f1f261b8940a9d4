"""The documentation is true: its examples run and give what they say, and generated pages are up to date."""

import ast
import doctest
import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeless as tp
from tapeless import api, operators, rules
from tapeless.errors import TapelessError
from tapeless.report import examples, table

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python[^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page):
    """Kind, text and line of every Python block."""
    text = page.read_text()
    return [(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in BLOCK.finditer(text)]


def run(text, path, names):
    """Execute a block; compare each expression that carries `# -> result` or `# raises Exception`."""
    path.write_text(text)
    lines = text.splitlines()
    for statement in ast.parse(text).body:
        _, _, comment = lines[statement.end_lineno - 1].partition("  # ")
        if comment.startswith("raises "):
            with pytest.raises(eval(comment.removeprefix("raises "), names)):
                execute(statement, path, names)
        elif comment.startswith("-> "):
            assert repr(execute(statement, path, names)) == comment.removeprefix("-> "), lines[statement.lineno - 1]
        else:
            execute(statement, path, names)


def execute(statement, path, names):
    if isinstance(statement, ast.Expr):
        return eval(compile(ast.Expression(statement.value), str(path), "eval"), names)
    return exec(compile(ast.Module([statement], []), str(path), "exec"), names)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "errors.md"], ids=lambda page: page.name)
def test_examples(page, tmp_path):
    names = {"__name__": page.stem, "np": np, "tp": tp}
    for kind, text, line in blocks(page):
        assert kind == "python", f"{page.name}:{line}"
        try:
            run(text, tmp_path / f"{page.stem}_{line}.py", names)
        except Exception as error:
            error.add_note(f"in the block at {page}:{line}")
            raise


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
