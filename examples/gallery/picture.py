"""Pictures of curves: a PNG where matplotlib is installed, rows of characters where it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def curves(name: str, x: np.ndarray, **ys: np.ndarray) -> None:
    """Draw curves over x, and save them as `name`.png in the current folder or print them."""
    try:
        import matplotlib as mpl
    except ImportError:
        for label, y in ys.items():
            print(f"{label}: {_sparkline(np.asarray(y))}")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots()
    for label, y in ys.items():
        axes.plot(x, y, label=label)
    axes.legend()
    figure.savefig(Path(f"{name}.png"))
    plt.close(figure)


def _sparkline(y: np.ndarray, width: int = 60) -> str:
    shades = " .:-=+*#%@"
    sampled = y[np.linspace(0, len(y) - 1, min(width, len(y))).astype(int)]
    low, high = float(sampled.min()), float(sampled.max())
    levels = (sampled - low) / (high - low or 1.0) * (len(shades) - 1)
    return "".join(shades[int(level)] for level in levels) + f"   {low:.3g} ... {high:.3g}"
