"""Looking inside: stages as text, explanations at the user's lines, pickling by name."""

import pickle

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import NotCompiledError
from tapeless.ir.text import parse_function


@tp.jit
def squares(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out


@tp.jit
def total(x):
    s = 0.0
    for v in x:
        s += v
    return s


@tp.jit
def counts(keys, size):
    h = np.zeros(size)
    for k in keys:
        h[k] += 1.0
    return h


@tp.jit
def logistic(x, steps):
    for _ in range(steps):
        x = 3.7 * x * (1.0 - x)
    return x


@tp.jit
def recurrence(x):
    for i in range(1, len(x)):
        x[i] = x[i] + 0.5 * x[i - 1] ** 2
    return x


X = np.arange(5.0)
KEYS = np.array([0, 1, 1])


@pytest.mark.parametrize(
    ("function", "args", "offset", "decision", "reason"),
    [
        (squares, (X,), 3, "map", "independent"),
        (total, (X,), 3, "reduce", ""),
        (counts, (KEYS, 3), 3, "hist", ""),
        (logistic, (0.5, 3), 2, "loop", "x: "),
        (recurrence, (X.copy(),), 2, "loop", "x: "),
    ],
    ids=["map", "reduce", "hist", "scalar recurrence", "array recurrence"],
)
def test_explain(function, args, offset, decision, reason):
    line = function.python.__code__.co_firstlineno + offset
    found = [text for text in function.explain(*args).splitlines() if text.startswith(f"line {line}: loop: ")]
    assert found, function.explain(*args)
    assert found[0].removeprefix(f"line {line}: loop: ").startswith(decision)
    assert reason in found[0]


def test_explain_of_nested_loops_is_in_order_of_lines():
    @tp.jit
    def rows(m, steps):
        out = np.zeros(len(m))
        for i in range(len(m)):
            value = m[i, 0]
            for _ in range(steps):
                value = value * value - m[i, 1]
            out[i] = value
        return out

    notes = [text for text in rows.explain(np.ones((3, 2)), 4).splitlines() if ": loop: " in text]
    first = rows.python.__code__.co_firstlineno
    assert [note.split(":")[0] for note in notes] == [f"line {first + 3}", f"line {first + 5}"]
    assert ": map" in notes[0]
    assert ": loop" in notes[1]


def test_nothing_to_explain():
    assert tp.jit(lambda x: x + 1).explain(1.0) == "nothing to decide"


def test_stages():
    texts = {stage: squares.show(stage, X) for stage in ("python", "front", "ir", "llvm", "asm", "explain")}
    assert texts["python"].startswith("@tp.jit\ndef squares(x):")
    assert "update" in texts["front"]
    assert "map" in texts["ir"]
    assert "define" in texts["llvm"]
    assert "ret" in texts["asm"]
    assert "line" in texts["explain"]
    for stage in ("front", "ir"):
        assert parse_function(texts[stage]).name == "squares"


def test_lower_compiles_without_calling():
    @tp.jit
    def write(x):
        x[0] = 5.0

    x = np.zeros(2)
    lowering = write.lower(x)
    assert x[0] == 0.0
    assert str(lowering) == lowering.text("ir")
    assert lowering.ir.name == "write"
    assert len(write.specialisations) == 1
    write(x)
    assert x[0] == 5.0
    assert len(write.specialisations) == 1


def test_show_takes_the_latest_specialisation():
    f = tp.jit(lambda x: x * 2)
    f(1.0)
    assert "f64" in f.show()
    f(1)
    assert "f64" not in f.show()
    assert "f32[n.0]" in f.show("ir", np.ones(3, np.float32))


def test_show_before_there_is_anything():
    f = tp.jit(lambda x: x * 2)
    with pytest.raises(NotCompiledError, match="example arguments"):
        f.show("ir")
    assert "lambda x" in f.show("python")
    assert "return" in tp.jit(lambda: 3).show("ir")


def test_unknown_stage():
    with pytest.raises(ValueError, match="the stages are python, front, ir"):
        squares.show("mlir", X)


def test_pickling_is_by_name():
    total(X)
    stored = pickle.dumps(total)
    assert pickle.loads(stored) is total
    assert len(stored) < 200
    assert b"total" in stored


def test_specialisations_say_where_code_came_from(tmp_path):
    with tp.config(cache_dir=tmp_path):
        first, second = tp.jit(total.python), tp.jit(total.python)
        first(X)
        second(X)
    assert ": compiled in " in first.specialisations[0]
    assert ": from the cache in " in second.specialisations[0]
