"""Pages of the documentation as programs: run the blocks of Python, compare what they say."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import tapeless as tp

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# These import JAX, which not every process may: tests/jax runs them.
JAX_PAGES = [ROOT / "docs" / "guide" / name for name in ("jax.md", "training.md")]
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


def check(page, folder):
    """Run all blocks of a page, in one scope."""
    names = {"__name__": page.stem, "np": np, "tp": tp}
    for kind, text, line in blocks(page):
        assert kind == "python", f"{page.name}:{line}"
        try:
            run(text, folder / f"{page.stem}_{line}.py", names)
        except Exception as error:
            error.add_note(f"in the block at {page}:{line}")
            raise
