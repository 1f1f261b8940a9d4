"""What the guide on coarsening shows is what is printed."""

import re

import numpy as np

import tapeless as tp

from .pages import ROOT, run

GUIDE = ROOT / "docs" / "guide" / "coarsening.md"
PRINTED = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_outputs_are_those_that_are_shown(tmp_path, capsys):
    names = {"__name__": "guide", "np": np, "tp": tp}
    found = PRINTED.findall(GUIDE.read_text())
    assert len(found) == 5
    for number, (source, wanted) in enumerate(found):
        capsys.readouterr()
        run(source, tmp_path / f"block{number}.py", names)
        assert capsys.readouterr().out == wanted
