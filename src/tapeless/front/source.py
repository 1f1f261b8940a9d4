"""From a function object to its syntax tree."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import NoReturn

from ..errors import NoSourceError
from ..records import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A function's node, with the positions of its file, and the file."""

    node: ast.FunctionDef | ast.Lambda
    file: str


def source_of(function: FunctionType) -> Source:
    """The syntax of a function. Line numbers are those of the file."""
    found = _cache.get(function.__code__)
    if found is None:
        found = _lambda(function) if function.__name__ == "<lambda>" else _definition(function)
        _cache[function.__code__] = found
    return found


_cache: dict[CodeType, Source] = {}


def _definition(function: FunctionType) -> Source:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        _refuse(function)
    # An indented function is parsed inside a block, so that columns and multi-line strings stay as they are.
    nested = lines[0][:1].isspace()
    try:
        tree = ast.parse("".join(["if True:\n", *lines] if nested else lines))
    except SyntaxError:
        _refuse(function)
    node = tree.body[0].body[0] if nested else tree.body[0]  # type: ignore[attr-defined]
    if not isinstance(node, ast.FunctionDef):
        _refuse(function)
    ast.increment_lineno(node, max(first, 1) - 1 - nested)
    return Source(node, _file(function))


def _lambda(function: FunctionType) -> Source:
    """A lambda is found in its file by the position of its body, which its code object knows."""
    code, file = function.__code__, _file(function)
    text = "".join(linecache.getlines(file))
    wanted = {(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None}
    try:
        tree = ast.parse(text)
    except SyntaxError:
        _refuse(function)
    alike = [node for node in _lambdas(tree) if _parameters(node) == _parameter_names(code)]
    found = [node for node in alike if wanted & _inside(node)] or [node for node in alike if _is(node, code)]
    if not found:
        _refuse(function)
    # A lambda around it has all of its positions, and more.
    return Source(min(found, key=lambda node: len(_inside(node))), file)


def _is(node: ast.Lambda, code: CodeType) -> bool:
    """Is this the lambda on its line that returns this constant? Python 3.12 does not say where a constant stands."""
    if node.lineno != code.co_firstlineno or not isinstance(node.body, ast.Constant):
        return False
    returned = [step.argval for step in dis.get_instructions(code) if step.opname == "RETURN_CONST"]
    value = node.body.value
    return [type(constant) for constant in returned] == [type(value)] and returned == [value]


def _parameters(node: ast.Lambda) -> list[str]:
    spec = node.args
    stars = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    return [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *stars)]


def _parameter_names(code: CodeType) -> list[str]:
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars])


def _inside(node: ast.Lambda) -> set[tuple[int, int]]:
    return {(n.lineno, n.col_offset) for n in ast.walk(node.body) if isinstance(n, ast.expr)}


def _lambdas(tree: ast.AST) -> Iterator[ast.Lambda]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Lambda))


def _file(function: FunctionType) -> str:
    return inspect.getsourcefile(function) or function.__code__.co_filename


def _refuse(function: FunctionType) -> NoReturn:
    raise NoSourceError(
        f"the source text of {function.__qualname__} cannot be read",
        why="a function is compiled from its source; text typed into `python -c` or made by exec() has none",
        fix="put the function into a file",
    )
