"""Tapeless: ordinary Python and NumPy functions as native code, with exact derivatives and no tape."""

from typing import TYPE_CHECKING, Any

from . import reversible as reversible
from .api import checkpoint as checkpoint
from .api import count_multiplications as count_multiplications
from .api import grad as grad
from .api import hessian as hessian
from .api import hvp as hvp
from .api import jacfwd as jacfwd
from .api import jacobian as jacobian
from .api import jacrev as jacrev
from .api import jit as jit
from .api import jvp as jvp
from .api import linearize as linearize
from .api import stop_gradient as stop_gradient
from .api import value_and_grad as value_and_grad
from .api import vjp as vjp
from .config import config as config
from .errors import TapelessError as TapelessError
from .front.annotations import boolean as boolean
from .front.annotations import f32 as f32
from .front.annotations import f64 as f64
from .front.annotations import i32 as i32
from .front.annotations import i64 as i64
from .jitted import Jitted as Jitted
from .jitted import PlainPythonWarning as PlainPythonWarning
from .operators import hist as hist
from .operators import map as map
from .operators import prange as prange
from .operators import reduce as reduce
from .operators import scan as scan
from .operators import scatter as scatter
from .regions import ancilla as ancilla
from .regions import compute as compute
from .regions import inverse as inverse
from .regions import irreversible as irreversible
from .regions import release as release
from .regions import saved as saved
from .reversible.numbers import Fixed as Fixed
from .reversible.numbers import Log as Log
from .reversible.pairs import dual as dual
from .reversible.pairs import primitive as primitive
from .reversible.pairs import selfdual as selfdual
from .reversible.stack import Stack as Stack
from .rules import custom_jvp as custom_jvp
from .rules import custom_vjp as custom_vjp

if TYPE_CHECKING:
    from .ad.planner import States as States
    from .report.elimination import show_elimination as show_elimination
    from .reversible.function import reversible as reversible


def __getattr__(name: str) -> Any:
    # These are asked for rarely, and take a while to import.
    match name:
        case "States":
            from .ad.planner import States

            return States
        case "jax" | "testing":
            from importlib import import_module

            return import_module(f".{name}", __name__)
        case "show_elimination":
            from .report.elimination import show_elimination

            return show_elimination
        case "__version__":
            return _version()
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tapeless")
    except PackageNotFoundError:  # a source tree that was not installed
        return "0"
