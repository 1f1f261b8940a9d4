"""The kinds of promises that `directed` holds the derivative rules to; each case has a program in the text form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ad.planner import Plan

EVERY_MODE = ("forward", "reverse", "limited")


@dataclass(frozen=True, slots=True)
class Law:
    """Both modes keep the laws of `derivative_law`, up to `order`."""

    name: str
    text: str
    args: tuple[Any, ...]
    order: int = 1
    modes: tuple[str, ...] = EVERY_MODE


@dataclass(frozen=True, slots=True)
class Dense:
    """All entries of the Jacobians of both modes, and the gradient of the first result, are the oracle's."""

    name: str
    text: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Promise:
    """The gradient of a scalar program by its only argument, or its scalars, where differences say nothing."""

    name: str
    text: str
    point: tuple[float, ...]
    gradient: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Differentiation by the first parameter raises an error that says `words`, in these modes; in others it works."""

    name: str
    text: str
    words: str
    modes: tuple[str, ...] = ("forward", "reverse")


@dataclass(frozen=True, slots=True)
class Active:
    """Exactly these variables depend differentiably on the first parameter."""

    name: str
    text: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Level:
    """Exactly these float variables are `flat`, and these `steep`, as `ad.roots` says."""

    name: str
    text: str
    flat: frozenset[str]
    steep: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sized:
    """A cotangent of another size than its result, which depends on the sizes of the arguments, is refused."""

    name: str
    text: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Preparing a block for differentiation by its parameters changes no result."""

    name: str
    text: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Fails:
    """A check of the program that fails makes its derivatives fail."""

    name: str
    text: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Along:
    """The forward derivative of a program over scalars along tangents that are literals."""

    name: str
    text: str
    args: tuple[float, ...]
    tangents: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The reverse derivative by the first parameter under a plan is that without, and computes so many sines."""

    name: str
    text: str
    args: tuple[Any, ...]
    plan: Plan
    sines: int


@dataclass(frozen=True, slots=True)
class Cheap:
    """The reverse derivative by the first parameter takes no more than this work, without any pass."""

    name: str
    text: str
    args: tuple[Any, ...]
    work: float


Case = Law | Dense | Promise | Refused | Active | Level | Sized | Prepared | Fails | Along | Steps | Cheap
