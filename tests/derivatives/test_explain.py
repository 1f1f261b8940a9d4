"""`explain()` of a derivative tells the program from its return sweep, by the names of the user's variables."""

from __future__ import annotations

import numpy as np

import tapeless as tp


def relax(state: tp.f64[:]) -> float:
    field = state.copy()
    for i in range(1, len(field)):
        field[i] = np.sin(field[i - 1]) * field[i]
    return np.sum(field)


def spread(state: tp.f64[:]) -> float:
    total = 0.0
    for i in range(len(state)):
        total += np.sin(state[i])
    return total


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def about(text, line):
    return [note for note in text.splitlines() if note.startswith(f"line {line}: ")]


def test_both_sweeps_of_a_loop_are_explained():
    found = about(tp.grad(relax).explain(np.ones(5)), line_of(relax, 2))
    primal = [note for note in found if "return sweep" not in note]
    returning = [note for note in found if "return sweep" in note]
    assert any("loop: loop (field: " in note for note in primal), found
    assert any("return sweep: keeps " in note for note in returning), found
    assert any("return sweep: loop: loop (field_adj: " in note for note in returning), found


def test_the_back_end_tells_them_apart_too():
    found = about(tp.value_and_grad(spread).explain(np.ones(5)), line_of(spread, 2))
    assert any(": loop: reduce" in note and "return sweep" not in note for note in found), found
    returning = [note for note in found if note.split(": ")[1] == "return sweep"]
    assert any("in vector registers" in note for note in returning), found


def test_without_a_derivative_there_is_no_return_sweep():
    assert "return sweep" not in tp.jit(relax).explain(np.ones(5))
