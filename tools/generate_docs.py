"""The pages of `docs/` that are made from the source: the error index, the known names, the options.

`python tools/generate_docs.py` (or `make docs`) writes them; a test compares what is committed with `pages()`.
"""

from __future__ import annotations

import inspect
import math
import re
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
from error_examples import EXAMPLES

import tapeless as tp
import tapeless.ops  # the example of TP001 looks operations up
from tapeless.config import Settings, variable
from tapeless.errors import TapelessError
from tapeless.front import registry
from tapeless.runtime import faults

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Made by tools/generate_docs.py; do not edit. -->\n"


def pages() -> dict[str, str]:
    """The text of each generated page by its name."""
    return {"errors.md": errors_page(), "numpy_names.md": names_page(), "options.md": options_page()}


def main() -> None:
    """Write all pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text)
        print(f"docs/{name}")


# -- errors ---------------------------------------------------------------------------------------


def errors_page() -> str:
    """One section for each error class, in order of code."""
    head = f"""{NOTE}
# Errors

Every error of Tapeless is a `tp.TapelessError` with a code that does not change between versions, and also the
built-in exception that plain Python would raise. Codes from TP100 on are refusals: they are found while compiling,
before anything runs. Codes from TP500 on are raised by running code. The examples assume `import math`,
`import numpy as np` and `import tapeless as tp`.
"""
    return head + "".join(_error_section(cls) for cls in error_classes())


def error_classes() -> list[type[TapelessError]]:
    """All error classes in order of code."""
    assert faults.Fault.code  # the module is imported, so its classes are known
    return sorted({TapelessError, *_subclasses(TapelessError)}, key=lambda cls: cls.code)


def _subclasses(cls: type[TapelessError]) -> Iterator[type[TapelessError]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


def _error_section(cls: type[TapelessError]) -> str:
    builtin = next((base for base in cls.__mro__ if base.__module__ in ("builtins", "numpy.linalg")), Exception)
    also = "" if builtin is Exception else f", also `{builtin.__name__}`"
    section = f"\n## {cls.code} {cls.__name__}{also}\n\n{inspect.cleandoc(cls.__doc__ or '')}\n"
    if cls.code in EXAMPLES:
        text = EXAMPLES[cls.code].strip()
        section += f"\n```python raises\n{text}\n```\n\n```text\n{_message(cls, text)}\n```\n"
    return section


def _message(cls: type[TapelessError], text: str) -> str:
    """The message of the error that a program raises, as if it stood in the file example.py."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.py"
        path.write_text(text)
        try:
            exec(compile(text, str(path), "exec"), {"np": np, "tp": tp, "math": math, "__name__": "example"})
        except cls as error:
            return str(error).replace(str(path), "example.py")
    raise AssertionError(f"{cls.code}: the example raises nothing")


# -- names ----------------------------------------------------------------------------------------

_GROUPS = {
    "NumPy functions": re.compile(r"numpy\.(\w+)$"),
    "Linear algebra": re.compile(r"(numpy\.linalg\.\w+)$"),
    "Methods of ufuncs": re.compile(r"numpy\.(\w+\.\w+)$"),
    "Methods and attributes of arrays": re.compile(r"ndarray\.(\w+)$"),
    "The module math": re.compile(r"math\.(\w+)$"),
    "Built-in functions": re.compile(r"(\w+)$"),
    "Operators of Tapeless": re.compile(r"tapeless\.operators\.(\w+)$"),
    "Others": re.compile(r"((?:dataclasses|functools|operator|scipy)\.[\w.]+)$"),
}
_PREFIXES = {"NumPy functions": "np.", "The module math": "math.", "Operators of Tapeless": "tp."}


def names_page() -> str:
    """The known names of NumPy and the standard library, in groups."""
    groups: dict[str, list[str]] = {group: [] for group in _GROUPS}
    for name in registry.names():
        for group, pattern in _GROUPS.items():
            found = pattern.match(name)
            if found:
                groups[group].append(found[1])
                break
    total = sum(map(len, groups.values()))
    text = f"""{NOTE}
# Known names

The {total} names of NumPy and the standard library that compiled functions may use. Their arguments are those of
NumPy, unless a refusal says otherwise; constants such as `np.pi` and types such as `np.float32` can be used as well.
Any other function can be used when it is written in the language itself: it is compiled with its caller.
"""
    for group, names in groups.items():
        prefix = _PREFIXES.get(group, "")
        text += f"\n## {group}\n\n" + ", ".join(f"`{prefix}{name}`" for name in sorted(names)) + "\n"
    return text


# -- options --------------------------------------------------------------------------------------


def options_page() -> str:
    """Each option: its environment variable, default, accepted values and meaning."""
    text = f"""{NOTE}
# Options

Read an option as `tp.config.threads`; change it for a block with `with tp.config(threads=1):`, for the process with
`tp.config.set(threads=1)`, or from outside with its environment variable. `tp.jit(check=...)` fixes the checks of one
function.

| option | environment variable | default | values | meaning |
|---|---|---|---|---|
"""
    for option in fields(Settings):
        values = _accepted(option.metadata["parse"])
        row = (f"`{option.name}`", f"`{variable(option.name)}`", _default(option.name), values, option.metadata["doc"])
        text += f"| {' | '.join(row)} |\n"
    return text


def _default(name: str) -> str:
    if name == "threads":
        return "the number of processors"
    value = getattr(Settings(), name)
    return "`" + (",".join(sorted(value)) if isinstance(value, frozenset) else str(value) or '""') + "`"


def _accepted(parse: object) -> str:
    """What an option's parser says it wants."""
    assert callable(parse)
    try:
        parse(object())
    except ValueError as reason:
        return str(reason)
    raise AssertionError("every parser refuses a bare object")


if __name__ == "__main__":
    main()
