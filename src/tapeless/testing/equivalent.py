"""Mutants of the derivative rules (`rule_mutants`) that change nothing a law could see, each with the reason.

A mutant is named by its file, the change and the text that is changed. Most of them concern cost, which `counting`
judges, or the words of an explanation.
"""

from __future__ import annotations

from .rule_mutants import Mutant

EQUIVALENT: dict[str, dict[str, str]] = {}


def reason(mutant: Mutant) -> str:
    """Why the change means nothing; empty when it should be caught."""
    return EQUIVALENT.get(mutant.module, {}).get(mutant.change, "")
