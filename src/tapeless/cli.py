"""The command line: `tapeless doctor | ops | show | cache`, each also with `--json`.

Only the answer goes to standard output. Exit code 0: good; 1: a finding; 2: misuse.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .errors import TapelessError
from .ops.table import holes, matrix
from .report.doctor import diagnose
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


class _MisuseError(Exception):
    """A command that cannot be carried out as written."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tapeless", description="Look into the Tapeless compiler.")
    commands = parser.add_subparsers(required=True, metavar="doctor | ops | show | cache")

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
    show.add_argument("--stage", default="ir", help="python, ir, llvm, asm or explain")
    show.add_argument(
        "--types", default="", help="types of the arguments, e.g. 'f64[:], f64[:, 3], int'; default: the annotations"
    )
    store = command("cache", _cache, "look at the cache of compiled functions")
    store.add_argument("action", choices=("info", "clear", "verify"), nargs="?", default="info")
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
    text = function.show_types(options.types, options.stage)
    _emit(options, {"function": options.function, "stage": options.stage, "text": text}, text)
    return 0


def _find(name: str) -> Any:
    """The jitted function that `module:function` names; a plain one is jitted."""
    from .api import jit
    from .jit import Jitted

    module_name, colon, attribute = name.partition(":")
    if not colon:
        raise _MisuseError(f"{name!r} is not of the form module:function")
    try:
        if module_name.endswith(".py"):
            path = Path(module_name).resolve()
            sys.path.insert(0, str(path.parent))
            module_name = path.stem
        found = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise _MisuseError(str(error)) from error
    return found if isinstance(found, Jitted) else jit(found)


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
