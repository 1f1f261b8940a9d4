"""The command line: answers on standard output only, JSON on request, exit codes 0, 1 and 2."""

import json
import subprocess
import sys

import pytest

import tapeless as tp
from tapeless import cli
from tapeless.ir.text import parse_function
from tapeless.ops.table import matrix

MODULE = '''
import numpy as np
import tapeless as tp

print("said while importing")


@tp.jit
def energy(x: tp.f64[:], k: float, shift=0.5):
    """Springs in a row."""
    e = 0.0
    for i in range(len(x) - 1):
        e += k * (x[i + 1] - x[i] - shift) ** 2
    return e


def scale(x, k):
    return x * k


def refused(x: tp.f64[:]):
    return np.fft.fft(x)


NUMBER = 3
'''


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "springs.py"
    path.write_text(MODULE)
    return path


@pytest.fixture
def store(tmp_path):
    """A cache of its own."""
    with tp.config(cache_dir=tmp_path / "cache"):
        yield tmp_path / "cache"


def run(capsys, *arguments):
    """Exit code, standard output, standard error."""
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as exit:
        code = exit.code
    out, err = capsys.readouterr()
    return code, out, err


# -- doctor ---------------------------------------------------------------------------------------


def test_doctor(capsys):
    code, out, err = run(capsys, "doctor")
    assert (code, err) == (0, "")
    for word in ("python", "numpy", "llvmlite", "processor", "threads used", "cache folder", "self-test", "passed"):
        assert word in out


def test_doctor_json(capsys):
    code, out, err = run(capsys, "doctor", "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts["self-test"] == "passed"
    assert facts["cores"] >= 1


def test_a_failed_self_test_is_a_finding(capsys, monkeypatch):
    monkeypatch.setattr(cli, "diagnose", lambda: {"self-test": "failed: wrong value"})
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert "wrong value" in out


# -- ops ------------------------------------------------------------------------------------------


def test_ops(capsys):
    code, out, err = run(capsys, "ops")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == len(list(matrix())) + 2


def test_ops_json(capsys):
    code, out, _ = run(capsys, "ops", "--json")
    rows = json.loads(out)
    assert code == 0
    assert {"add", "sin", "update", "transpose"} <= {row["op"] for row in rows}


def test_ops_check(capsys, monkeypatch):
    assert run(capsys, "ops", "--check") == (0, "every operation is complete\n", "")
    assert run(capsys, "ops", "--check", "--json")[1] == "[]\n"
    monkeypatch.setattr(cli, "holes", lambda: ["sin: no partials"])
    assert run(capsys, "ops", "--check") == (1, "sin: no partials\n", "")
    assert json.loads(run(capsys, "ops", "--check", "--json")[1]) == ["sin: no partials"]


# -- show -----------------------------------------------------------------------------------------

SIGNS = {
    "python": "def energy(x: tp.f64[:], k: float, shift=0.5):",
    "front": "def energy(x",
    "ir": "reduce",
    "llvm": "define i64 @",
    "asm": "ret",
    "explain": ": loop: reduce",
}


@pytest.mark.parametrize("stage", SIGNS)
def test_show(capsys, module, stage):
    code, out, err = run(capsys, "show", f"{module}:energy", "--stage", stage)
    assert (code, err) == (0, "said while importing\n")
    assert SIGNS[stage] in out
    assert "said while importing" not in out


def test_show_json(capsys, module):
    code, out, _ = run(capsys, "show", f"{module}:energy", "--json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["stage"], answer["function"]) == ("ir", f"{module}:energy")
    assert parse_function(answer["text"]).name == "energy"


@pytest.mark.parametrize(
    ("types", "head"),
    [
        ("f64[:], float", "def scale(x.1: f64[n.0], k.2: f64)"),
        ("f32[:, 3], i64", "f32[n.0, 3], k.2: i64)"),
        ("i32[2], bool", "def scale(x.0: i32[2], k.1: bool)"),
        ("boolean[4], int", "def scale(x.0: bool[4], k.1: i64)"),
        ("f64, f32", "def scale(x.0: f64, k.1: f32)"),
    ],
)
def test_types(capsys, module, types, head):
    code, out, _ = run(capsys, "show", f"{module}:scale", "--types", types)
    assert code == 0
    assert head in out.splitlines()[0]


def test_types_replace_annotations(capsys, module):
    code, out, _ = run(capsys, "show", f"{module}:energy", "--types", "f32[:]")
    assert code == 0
    assert "f32[n.0], k.2: f64, shift.3: f64" in out


def test_importable_modules(capsys):
    code, out, err = run(capsys, "show", "tapeless.operators:prange", "--stage", "python")
    assert (code, err) == (0, "")
    assert "def prange" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["springs.py"], "module:function"),
        (["{}:nothing"], "nothing"),
        (["{}:NUMBER"], "not a function"),
        (["{}:scale"], "type of the parameter 'x'"),
        (["{}:scale", "--types", "f64[:], complex"], "'complex' is not a type"),
        (["{}:scale", "--types", "f64[-1], int"], "'-1' is not a size"),
        (["{}:scale", "--types", "f64[:], int, int"], "3 types"),
        (["{}:scale", "--types", "f64[:"], "list of types"),
        (["{}:scale", "--stage", "mlir"], "invalid choice"),
        (["no_such_module_anywhere:f"], "no_such_module_anywhere"),
        (["no_such_file.py:f"], "no_such_file"),
        ([], "function"),
    ],
)
def test_misuse_of_show(capsys, module, arguments, words):
    code, out, err = run(capsys, "show", *(argument.format(module) for argument in arguments))
    assert (code, out) == (2, "")
    assert words in err


def test_a_refused_function_is_a_finding(capsys, module):
    code, out, err = run(capsys, "show", f"{module}:refused")
    assert (code, out) == (1, "")
    assert "[TP103]" in err
    assert "np.fft.fft(x)" in err


# -- cache ----------------------------------------------------------------------------------------


def test_cache(capsys, store):
    assert run(capsys, "cache", "--json")[0] == 0
    before = json.loads(run(capsys, "cache", "info", "--json")[1])
    assert (before["folder"], before["entries"]) == (str(store), 0)
    tp.jit(lambda x: x * 3.0)(1.0)
    code, out, err = run(capsys, "cache", "info")
    assert (code, err) == (0, "")
    assert "entries: 1\n" in out
    assert json.loads(run(capsys, "cache", "verify", "--json")[1]) == {"good": 1, "damaged and deleted": []}
    assert run(capsys, "cache", "clear") == (0, "deleted: 1\n", "")
    assert json.loads(run(capsys, "cache", "clear", "--json")[1]) == {"deleted": 0}


def test_damage_is_a_finding(capsys, store):
    tp.jit(lambda x: x * 5.0)(1.0)
    (entry,) = store.iterdir()
    entry.write_bytes(b"nothing of use")
    code, out, _ = run(capsys, "cache", "verify", "--json")
    assert code == 1
    assert json.loads(out) == {"good": 0, "damaged and deleted": [entry.name]}
    assert run(capsys, "cache", "verify")[0] == 0


# -- the program ----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["cache", "burn"], ["ops", "--loud"]])
def test_misuse(capsys, arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert "usage: tapeless" in err


def test_help(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for command in ("doctor", "ops", "show", "cache"):
        assert command in out


def test_as_a_program_whose_reader_stops_early(module):
    command = f"'{sys.executable}' -m tapeless show '{module}:energy' --stage asm | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=100, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == "said while importing\n"
