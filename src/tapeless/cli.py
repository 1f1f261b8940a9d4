"""The command line: `tapeless doctor | ops | show | check | cache`, each also with `--json`.

Only the answer goes to standard output. Exit code 0: good; 1: a finding; 2: misuse.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from .api import elimination, jit
from .errors import TapelessError
from .jitted import Jitted
from .lowering import STAGES
from .ops.table import holes, matrix
from .report.doctor import diagnose
from .report.examples import annotated, examples
from .report.table import format_table
from .runtime import cache


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the console script calls this."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except TapelessError as error:
        print(error, file=sys.stderr)
        return 1
    except _MisuseError as error:
        print(f"tapeless: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; Python must not flush what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


class _MisuseError(Exception):
    """A command that cannot be carried out as written."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tapeless", description="Look into the Tapeless compiler.")
    commands = parser.add_subparsers(required=True, metavar="doctor | ops | show | check | cache | orders")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--json", action="store_true", help="print JSON")
        sub.set_defaults(run=run)
        return sub

    command("doctor", _doctor, "report on this installation, and compile a small function as a test")
    ops = command("ops", _ops, "print the completeness matrix of all operations")
    ops.add_argument("--check", action="store_true", help="print only holes; exit code 1 if there are any")
    show = command("show", _show, "print a stage of a compiled function")
    show.add_argument("function", help="module:function, where the module is importable or a file.py")
    show.add_argument("--stage", default="ir", choices=STAGES, help="which one; the optimised program by default")
    show.add_argument(
        "--types", default="", help="types of the arguments, e.g. 'f64[:], f64[:, 3], int'; default: the annotations"
    )
    check = command("check", _check, "check the derivatives of a function against 60-digit differences")
    check.add_argument("function", help="module:function, where the module is importable or a file.py")
    check.add_argument("--types", default="", help="types of the arguments, as for show; the values are random")
    check.add_argument("--order", type=int, default=1, choices=(1, 2), help="of derivatives")
    check.add_argument("--seed", type=int, default=0, help="of the random arguments and directions")
    store = command("cache", _cache, "look at the cache of compiled functions")
    store.add_argument("action", choices=("info", "clear", "verify"), nargs="?", default="info")
    known = command("orders", _orders, "look at the orders of elimination that searches have found")
    known.add_argument("action", choices=("list", "export", "import", "verify"), nargs="?", default="list")
    known.add_argument("target", nargs="?", help="the file to export to or import from; the function to verify for")
    known.add_argument("--types", default="", help="types of the arguments of the function, as for show")
    return parser


def _emit(options: argparse.Namespace, data: Any, text: str) -> None:
    print(json.dumps(data, indent=2) if options.json else text)


def _doctor(options: argparse.Namespace) -> int:
    facts = diagnose()
    _emit(options, facts, format_table(("what", "found"), [(k, str(v)) for k, v in facts.items()]))
    return 0 if facts["self-test"] == "passed" else 1


def _ops(options: argparse.Namespace) -> int:
    missing = holes()
    if options.check:
        _emit(options, missing, "\n".join(missing) if missing else "every operation is complete")
        return 1 if missing else 0
    rows = [asdict(row) | {"dtypes": " ".join(dtype.value for dtype in row.dtypes)} for row in matrix()]
    columns = tuple(rows[0])
    _emit(options, rows, format_table(columns, [tuple(str(row[c]) for c in columns) for row in rows]))
    return 0


def _show(options: argparse.Namespace) -> int:
    function = _find(options.function)
    text = function.show("python") if options.stage == "python" else _stage(function, options)
    _emit(options, {"function": options.function, "stage": options.stage, "text": text}, text)
    return 0


def _stage(function: Jitted, options: argparse.Namespace) -> str:
    function, arguments = _examples(function, options)
    return function.show(options.stage, *arguments)


def _check(options: argparse.Namespace) -> int:
    from .testing.gradients import check_grads, random_like

    function, arguments = _examples(_find(options.function), options)
    values = random_like(arguments, options.seed)
    verdict = check_grads(function, *values, order=options.order, seed=options.seed)
    text = "the derivatives are right" if verdict.kind == "ok" else f"nothing can be said here: {verdict.detail}"
    _emit(options, {"function": options.function, "kind": verdict.kind, "detail": verdict.detail}, text)
    return 0 if verdict.kind == "ok" else 1


def _examples(function: Jitted, options: argparse.Namespace) -> tuple[Jitted, list[Any]]:
    """The function with the types of the command line, and arguments of these types."""
    try:
        if options.types:
            function = Jitted(annotated(function.python, options.types), function.options)
        return function, examples(function.python)
    except ValueError as error:
        raise _MisuseError(f"--types: {error}") from error


def _find(name: str) -> Jitted:
    """The jitted function that `module:function` names; a plain one is jitted."""
    module_name, colon, attribute = name.rpartition(":")
    if not colon:
        raise _MisuseError(f"{name!r} is not of the form module:function")
    try:
        # What the user's module prints is not the answer.
        with redirect_stdout(sys.stderr):
            module = _load(Path(module_name)) if module_name.endswith(".py") else importlib.import_module(module_name)
        found = getattr(module, attribute)
    except (ImportError, OSError, AttributeError) as error:
        raise _MisuseError(str(error)) from error
    if not isinstance(found, Jitted | FunctionType):
        raise _MisuseError(f"{name} is not a function but of type {type(found).__name__}")
    return jit(found)


def _load(path: Path) -> ModuleType:
    """Run a file as a module of its own name, with its folder first on the path, as `python file.py` has it."""
    name = f"tapeless_show.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.resolve().parent))
    spec.loader.exec_module(module)
    return module


def _cache(options: argparse.Namespace) -> int:
    match options.action:
        case "clear":
            facts: dict[str, Any] = {"deleted": cache.clear()}
        case "verify":
            good, bad = cache.verify()
            facts = {"good": good, "damaged and deleted": bad}
        case _:
            facts = asdict(cache.info())
    _emit(options, facts, "\n".join(f"{key}: {value}" for key, value in facts.items()))
    return 1 if facts.get("damaged and deleted") else 0


def _orders(options: argparse.Namespace) -> int:
    from .report import orders

    if options.action in ("export", "import") and options.target is None:
        raise _MisuseError(f"orders {options.action} needs a file")
    try:
        match options.action:
            case "export":
                facts: dict[str, Any] = {"exported": orders.exported(Path(options.target))}
            case "import":
                kept, bad = orders.imported(Path(options.target))
                facts = {"kept": kept, "no orders": bad}
            case "verify" if options.target is not None:
                facts = {options.target: _verified(options)}
            case "verify":
                good, names = orders.verified()
                facts = {"good": good, "no orders": names}
            case _:
                data, text = orders.listed()
                _emit(options, data, text)
                return 0
    except OSError as error:
        raise _MisuseError(str(error)) from error
    _emit(options, facts, "\n".join(f"{key}: {value}" for key, value in facts.items()))
    return 1 if facts.get("no orders") else 0


def _verified(options: argparse.Namespace) -> str:
    from .report.orders import verified_for

    function, arguments = _examples(_find(options.target), options)
    everything = tuple(k for k, arg in enumerate(arguments) if isinstance(arg, float) or hasattr(arg, "shape"))
    found = elimination(function, *arguments, argnums=everything, method="auto", model="work", budget=0)
    return verified_for(found.plan, "work")
