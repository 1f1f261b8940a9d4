"""What coarsening does to a function, in order: values of the iteration before, closed forms, stable forms."""

from __future__ import annotations

from ..ir.core import Function
from ..passes.notes import Notes
from . import coarsen, delays, stable


def run(function: Function, notes: Notes) -> Function:
    """For a function that is compiled as it is: it rounds as it is written."""
    return coarsen.run(delays.run(function, notes), notes)


def run_before_derivatives(function: Function, notes: Notes) -> Function:
    """For one that is going to be differentiated."""
    return stable.run(coarsen.run_before_derivatives(delays.run(function, notes), notes), notes)
