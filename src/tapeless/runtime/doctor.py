"""A report on the machine, the versions, the options and the cache, for `tapeless doctor` and bug reports."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from .. import config
from . import cache, layout


def facts() -> dict[str, Any]:
    """Everything known without loading the compiler, as a JSON object; `problems` is empty on a healthy machine."""
    return {
        "versions": {name: _version(name) for name in ("tapeless", "numpy", "llvmlite", "platformdirs")},
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "options": {name: _plain(value) for name, _, value, _ in config.table()},
        "cache": asdict(cache.info()),
        "problems": problems(),
    }


def problems() -> list[str]:
    """What would keep Tapeless from working well here, in words."""
    found: list[str] = []
    try:
        layout.offsets()
    except layout.LayoutError as reason:
        found.append(str(reason))
    refusal = cache.refusal()
    if refusal:
        found.append(refusal)
    if sys.platform != "linux":
        found.append("parallel regions run on one thread: the thread pool is for Linux so far")
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int)) else ",".join(sorted(cast("frozenset[str]", value)))
