"""Every option: its type, its default, its environment variable, and the context that changes it.

    tp.config.threads                      the value in force here
    with tp.config(threads=1, check="bounds,nan"): ...      changed within the block, for this thread or task
    tp.config.set(cache=False)             changed for the whole process
    TAPELESS_THREADS=1 python ...          changed before the start

A block's values hold for the code it runs (a context variable), with two exceptions by nature: `threads` and
`buffers` size the one pool of the process, so the last change of them is the one in force.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

CHECKS = frozenset({"bounds", "nan"})
MODES = ("compile", "interpret", "python")
SEGMENTS = ("counted", "paper", "plain")


def _count(value: object) -> int:
    number = int(value) if isinstance(value, str) and value.isdigit() else value
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 1024:
        raise ValueError("a number from 1 to 1024")
    return number


def _flag(value: object) -> bool:
    words = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}
    known = value if isinstance(value, bool) else words.get(value.lower()) if isinstance(value, str) else None
    if known is None:
        raise ValueError("True or False (1 or 0 in the environment)")
    return known


def _checks(value: object) -> frozenset[str]:
    if isinstance(value, str):
        words = frozenset(word.strip() for word in value.split(",")) - {"", "none"}
        if words <= CHECKS:
            return words
    raise ValueError(f"a comma-separated list of {', '.join(sorted(CHECKS))}, or none")


def _mode(value: object) -> str:
    if value not in MODES:
        raise ValueError(f"one of {', '.join(MODES)}")
    return str(value)


def _segments(value: object) -> str:
    if value not in SEGMENTS:
        raise ValueError(f"one of {', '.join(SEGMENTS)}")
    return str(value)


def _bytes(value: object) -> int:
    """A number of bytes: `1000000`, `64MB`, `2GB`."""
    number = value
    if isinstance(value, str):
        units = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
        digits, unit = (value[:-2], units[value[-2:].upper()]) if value[-2:].upper() in units else (value, 1)
        number = int(digits) * unit if digits.strip().isdigit() else None
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError("a number of bytes such as 1000000, 64MB or 2GB")
    return number


def _folder(value: object) -> str:
    if not isinstance(value, (str, Path)):
        raise ValueError("the path of a folder; empty for the user's cache folder")
    return str(value)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return min(1024, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _option(parse: Callable[[object], Any], default: Callable[[], Any] | Any, doc: str) -> Any:
    make = default if callable(default) else lambda: default
    return field(default_factory=make, metadata={"parse": parse, "doc": doc})


@dataclass(frozen=True, slots=True)
class Settings:
    """One value for each option; hashable, so it can be part of a key."""

    threads: int = _option(_count, _processors, "how many threads a parallel region may use")
    check: frozenset[str] = _option(_checks, frozenset({"bounds"}), "run-time checks: bounds, nan, both or none")
    mode: str = _option(_mode, "compile", "compile, interpret (by the reference interpreter) or python")
    cache: bool = _option(_flag, True, "keep compiled code on disk")
    cache_dir: str = _option(_folder, "", "where; empty for the user's cache folder")
    cache_limit: int = _option(_bytes, 10**9, "how large the cache on disk may grow")
    buffers: int = _option(
        _bytes, 256 * 10**6, "how many bytes of freed arrays are kept for reuse; of more the system may take the pages"
    )
    fastmath: bool = _option(_flag, False, "let divisions by one value share its reciprocal: a last bit may change")
    coarsen: bool = _option(_flag, True, "replace loops by their closed forms, where these take fewer operations")
    segments: str = _option(
        _segments, "counted", "how coarsening cuts programs: counted (by operations), paper, or plain (not)"
    )
    egglog: bool = _option(_flag, False, "let egglog look for shorter derivatives, too: they take longer to compile")
    debug: bool = _option(_flag, False, "check the program after every pass")

    def changed(self, **options: object) -> Settings:
        """These settings with some options changed, after validation."""
        return replace(self, **{name: _parsed(name, value, name) for name, value in options.items()})


@dataclass(frozen=True, slots=True)
class Coarsening:
    """What a function or a derivative asks for itself; None for the option in force."""

    coarsen: bool | None = None
    segments: str | None = None

    def __post_init__(self) -> None:
        for name, value in self.asked.items():
            _parsed(name, value, name)

    @property
    def asked(self) -> dict[str, Any]:
        """The options that are asked for."""
        found = {"coarsen": self.coarsen, "segments": self.segments}
        return {name: value for name, value in found.items() if value is not None}

    def in_force(self) -> AbstractContextManager[object]:
        """The options in force here, changed by what is asked for."""
        return config(**self.asked) if self.asked else nullcontext()

    def or_else(self, other: Coarsening) -> Coarsening:
        """What is not asked for here is what another asks for."""
        return replace(other, **self.asked)


def variable(option: str) -> str:
    """The environment variable of an option."""
    return f"TAPELESS_{option.upper()}"


def table() -> list[tuple[str, str, object, str]]:
    """Name, environment variable, value in force and meaning of every option."""
    return [(f.name, variable(f.name), getattr(config.current, f.name), f.metadata["doc"]) for f in fields(Settings)]


class Config:
    """The options in force: attributes to read, a call for a block, `set` for the process.

    `current` is what `block` holds, else that of the process. Calls of compiled code compare it with what they were
    compiled for, natively: whoever `listen`s learns of every change.
    """

    def __init__(self) -> None:
        self._process: Settings | None = None
        self.block: ContextVar[Settings | None] = ContextVar("tapeless.config", default=None)
        self._listeners: list[Callable[[Settings], None]] = []

    @property
    def current(self) -> Settings:
        """All values in force here."""
        return self.block.get() or self.process

    def __getattr__(self, name: str) -> Any:
        if name in _NAMES:
            return getattr(self.current, name)
        raise AttributeError(_unknown(name))

    def __setattr__(self, name: str, value: object) -> None:
        if name in _NAMES:
            self.set(**{name: value})
        elif name in ("_process", "block", "_listeners"):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(_unknown(name))

    def set(self, **options: object) -> None:
        """Change options for the whole process (blocks that are open keep theirs)."""
        self._process = self.process.changed(**options)
        self._tell()

    @contextmanager
    def __call__(self, **options: object) -> Generator[Settings]:
        """Change options within a `with` block."""
        settings = self.current.changed(**options)
        token = self.block.set(settings)
        self._tell()
        try:
            yield settings
        finally:
            self.block.reset(token)
            self._tell()

    def listen(self, listener: Callable[[Settings], None]) -> None:
        """Call `listener` now and after every change."""
        self._listeners.append(listener)
        listener(self.current)

    @property
    def process(self) -> Settings:
        """All values in force outside of blocks."""
        if self._process is None:
            self._process = _from_environment()
        return self._process

    def _tell(self) -> None:
        for listener in self._listeners:
            listener(self.current)


def _from_environment() -> Settings:
    given = {name: os.environ[variable(name)] for name in _NAMES if variable(name) in os.environ}
    return Settings(**{name: _parsed(name, value, variable(name)) for name, value in given.items()})


def _parsed(name: str, value: object, where: str) -> Any:
    if name not in _NAMES:
        raise TypeError(_unknown(name))
    try:
        return _NAMES[name].metadata["parse"](value)
    except ValueError as reason:
        raise ValueError(f"{where} must be {reason}; it is {value!r}") from None


def _unknown(name: str) -> str:
    return f"there is no option {name!r}; the options are {', '.join(_NAMES)}"


_NAMES = {f.name: f for f in fields(Settings)}

config = Config()
