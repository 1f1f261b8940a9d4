"""Pages, pictures and the command line: what they show is what was counted."""

from __future__ import annotations

import json
import re
from xml.dom import minidom

import numpy as np
import pytest

import tapeless as tp
from tapeless import cli
from tapeless.errors import TapelessError
from tapeless.report import orders

X = np.array([0.4, 1.2])
MODULE = """
import numpy as np
import tapeless as tp

def f(x: tp.f64[2]):
    u = np.sin(x[0]) * x[1]
    v = u * x[0]
    return np.array([u * v, v + 2.0 * u, np.exp(v) * u])
"""


def f(x: tp.f64[2]):
    u = np.sin(x[0]) * x[1]
    v = u * x[0]
    return np.array([u * v, v + 2.0 * u, np.exp(v) * u])


@pytest.fixture(autouse=True)
def own_cache(tmp_path):
    with tp.config(cache_dir=str(tmp_path / "cache")):
        yield


def data(drawing) -> dict:
    return json.loads(re.search(r"const data = (.*);\n", drawing.html)[1])


@pytest.mark.parametrize("method", ["auto", "forward", "reverse"])
def test_the_steps_end_in_the_jacobian_for_the_multiplications_counted(method):
    shown = data(tp.show_elimination(f, X, method=method))
    edges = {(source, target) for source, target, _ in shown["edges"]}
    for step in shown["steps"]:
        edges = {ends for ends in edges if step["vertex"] not in ends}
        edges |= {(source, target) for source, target, _ in step["edges"]}
    outputs = {target for _, target in edges}
    assert {source for source, _ in edges} == {0, 1}
    assert len(outputs) == 3
    assert len(edges) == 6
    assert shown["steps"][-1]["total"] == tp.count_multiplications(f, X, method=method)


def test_files(tmp_path):
    page, picture = tmp_path / "f.html", tmp_path / "f.svg"
    drawing = tp.show_elimination(f, X, path=page)
    drawing.save(picture)
    assert "The Jacobian of f" in page.read_text()
    assert "http" not in re.sub(r"http://www\.w3\.org\S*", "", page.read_text())
    circles = minidom.parse(str(picture)).getElementsByTagName("circle")
    assert len(circles) == len(data(drawing)["at"])
    with pytest.raises(TapelessError, match="neither a page nor a picture"):
        drawing.save(tmp_path / "f.png")


def test_orders_are_listed_exported_imported_and_verified(tmp_path, capsys):
    tp.jacobian(f)(X)
    count = tp.count_multiplications(f, X)
    assert cli.main(["orders", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert count in [order["cost"] for order in listed]
    file, module = tmp_path / "orders.json", tmp_path / "own.py"
    assert cli.main(["orders", "export", str(file)]) == 0
    with tp.config(cache_dir=str(tmp_path / "other")):
        assert orders.listed()[1] == "none"
        assert cli.main(["orders", "import", str(file)]) == 0
        assert json.loads(json.dumps(orders.listed()[0])) == listed
        assert orders.imported(file) == (0, 0)
    module.write_text(MODULE)
    capsys.readouterr()
    assert cli.main(["orders", "verify", f"{module}:f"]) == 0
    assert f"takes {count} multiplications" in capsys.readouterr().out
    assert cli.main(["orders", "verify"]) == 0


def test_what_is_no_order_is_not_imported(tmp_path):
    good = {"name": "a", "model": "work", "order": [1, 2], "cost": 3, "bound": 1}
    file = tmp_path / "orders.json"
    file.write_text(json.dumps([good | {"order": [1, 1]}, good | {"cost": "3"}, 7]))
    assert cli.main(["orders", "import", str(file)]) == 1
    assert orders.listed()[1] == "none"
    file.write_text("{")
    assert cli.main(["orders", "import", str(file)]) == 1
    assert cli.main(["orders", "import", str(tmp_path / "missing.json")]) == 2
    assert cli.main(["orders", "export"]) == 2
