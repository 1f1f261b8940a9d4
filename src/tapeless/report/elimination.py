"""A page that shows how a Jacobian is accumulated: the graph, its elimination step by step, and what that costs.

    tp.show_elimination(f, x, path="f.html")      a page that needs nothing else, to step through
    tp.show_elimination(f, x, path="f.svg")       the graph and the curve of multiplications as a picture

The inputs stand on the left, the outputs on the right, every vertex to the right of what it is made of.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from string import Template
from typing import Any

from ..api import Argnums, Function, elimination
from ..eliminate.graph import Graph
from ..eliminate.jacobian import Eliminated
from ..eliminate.methods import MODELS, RULES, Method, Model
from ..eliminate.structure import Edge, plus, product
from ..eliminate.tables import Elimination
from ..errors import ArgumentError

WIDTH, ROW, MARGIN = 1100, 34, 40
CURVE = 220
_COLOURS = {1: "#2a7", 2: "#c70", 3: "#999", 4: "#235"}
_LINES = {"this order": "#235", "forward": "#2a7", "reverse": "#c70", "markowitz": "#999"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """The elimination of a graph as a page and as a picture; a notebook shows it by itself."""

    html: str
    svg: str

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:48rem;border:0"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the page (`.html`) or the picture (`.svg`)."""
        kinds = {".html": self.html, ".svg": self.svg}
        if Path(path).suffix not in kinds:
            raise ArgumentError(f"{path} is neither a page nor a picture", fix="end its name in .html or .svg")
        Path(path).write_text(kinds[Path(path).suffix], encoding="utf-8")


def show_elimination(
    fun: Function,
    *args: Any,
    path: str | Path | None = None,
    argnums: Argnums = 0,
    method: Method = "auto",
    model: Model = "work",
    budget: float | str | None = None,
) -> Drawing:
    """Draw how `tp.jacobian` accumulates the derivatives of a function for these arguments.

    The options are those of `tp.count_multiplications`; with a `path` the page or picture is written there.

    >>> import numpy as np, tapeless as tp
    >>> drawing = tp.show_elimination(lambda x: np.sin(x) * x, 2.0)
    >>> drawing.svg[:4]
    '<svg'
    """
    found = elimination(fun, *args, argnums=argnums, method=method, model=model, budget=budget)
    drawing = draw(found, getattr(fun, "__name__", "function"), model)
    if path is not None:
        drawing.save(path)
    return drawing


def draw(found: Eliminated, name: str, model: Model) -> Drawing:
    """The drawing of an elimination."""
    graph, order = found.plan.graph, found.plan.order
    at, height = _places(graph)
    tables = MODELS[model](graph)
    curves = {"this order": _costs(Elimination(tables), order)}
    curves |= {rule: _costs(Elimination(tables), make(tables)) for rule, make in RULES.items()}
    picture, curve = _graph(graph, at, found.labels), _curve(curves)
    data = {
        "at": at,
        "labels": found.labels,
        "edges": [(*ends, int(edge.values)) for ends, edge in graph.edges.items()],
        "steps": _steps(graph, order, curves["this order"]),
        "curve": {"left": MARGIN, "across": (WIDTH - 2 * MARGIN) / max(1, len(order))},
    }
    page = Template(files("tapeless.report").joinpath("elimination.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"The Jacobian of {name}"),
        summary=escape(f"{found.decision} ({found.reason})"),
        graph=_svg(picture, height),
        curve=_svg(curve, CURVE),
        table=_table({label: sum(costs) for label, costs in curves.items()}),
        data=json.dumps(data).replace("<", "\\u003c"),
    )
    both = f'{picture}<g transform="translate(0 {height})">{curve}</g>'
    return Drawing(page, _svg(both, height + CURVE))


# -- the elimination -------------------------------------------------------------------------------------


def _costs(state: Elimination, order: Sequence[int]) -> list[int]:
    return [state.eliminate(vertex) for vertex in order]


def _steps(graph: Graph, order: Sequence[int], costs: Sequence[int]) -> list[dict[str, Any]]:
    """For each step its vertex, its cost, the cost so far, and the edges that are new or have changed."""
    edges: dict[tuple[int, int], Edge] = dict(graph.edges)
    steps: list[dict[str, Any]] = []
    for vertex, cost, total in zip(order, costs, accumulate(costs), strict=True):
        before = {source: edge for (source, target), edge in edges.items() if target == vertex}
        after = {target: edge for (source, target), edge in edges.items() if source == vertex}
        edges = {ends: edge for ends, edge in edges.items() if vertex not in ends}
        made: list[tuple[int, int, int]] = []
        for source, pre in before.items():
            for target, post in after.items():
                term = product(post, pre, len(graph.shapes[vertex])).edge
                old = edges.get((source, target))
                edges[source, target] = term if old is None else plus(old, term)
                made.append((source, target, int(edges[source, target].values)))
        steps.append({"vertex": vertex, "cost": cost, "total": total, "edges": made})
    return steps


# -- the picture -----------------------------------------------------------------------------------------


def _places(graph: Graph) -> tuple[list[tuple[float, float]], int]:
    """Where the vertices stand, and how high the picture is."""
    depth = [0] * len(graph.shapes)
    for source, target in sorted(graph.edges, key=lambda ends: ends[1]):
        depth[target] = max(depth[target], depth[source] + 1)
    last = max([1, *depth])
    for output in graph.outputs:
        depth[output] = last
    layers = [[vertex for vertex in range(len(depth)) if depth[vertex] == layer] for layer in range(last + 1)]
    near: list[list[int]] = [[] for _ in depth]
    for source, target in graph.edges:
        near[source].append(target)
        near[target].append(source)
    height = MARGIN * 2 + ROW * max(map(len, layers))
    across = (WIDTH - 2 * MARGIN) / last
    y = [0.0] * len(depth)
    for _ in range(8):
        for layer in layers:
            # Vertices stand beside the mean of their neighbours, in the order of these means.
            layer.sort(key=lambda vertex: sum(y[other] for other in near[vertex]) / max(1, len(near[vertex])))
            for place, vertex in enumerate(layer):
                y[vertex] = height * (place + 1) / (len(layer) + 1)
    return [(round(MARGIN + depth[v] * across, 1), round(y[v], 1)) for v in range(len(depth))], height


def _graph(graph: Graph, at: Sequence[tuple[float, float]], labels: Sequence[str]) -> str:
    lines: list[str] = []
    for (source, target), edge in graph.edges.items():
        (x, y), (u, v), middle = at[source], at[target], (at[source][0] + at[target][0]) / 2
        lines.append(f'<path d="M{x},{y} C{middle},{y} {middle},{v} {u},{v}" stroke="{_COLOURS[edge.values]}"/>')
    circles: list[str] = []
    for vertex, (x, y) in enumerate(at):
        fill = "#dcebff" if vertex < graph.inputs else "#ffe9c7" if vertex in graph.outputs else "#fff"
        circles.append(
            f'<g id="v{vertex}"><title>{vertex}: {escape(labels[vertex])}</title>'
            f'<circle cx="{x}" cy="{y}" r="11" fill="{fill}" stroke="#456"/>'
            f'<text x="{x}" y="{y + 3.5}" text-anchor="middle" font-size="10">{vertex}</text></g>'
        )
    return f'<g id="edges" fill="none">{"".join(lines)}</g>{"".join(circles)}'


def _curve(curves: Mapping[str, Sequence[int]]) -> str:
    """Multiplications so far, step by step, one line for each order."""
    most = max(1, *(sum(costs) for costs in curves.values()))
    bottom, rise = CURVE - MARGIN, CURVE - 2 * MARGIN
    parts = [f'<line x1="{MARGIN}" y1="{bottom}" x2="{WIDTH - MARGIN}" y2="{bottom}" stroke="#999"/>']
    for name, costs in curves.items():
        across = (WIDTH - 2 * MARGIN) / max(1, len(costs))
        totals = accumulate(costs, initial=0)
        points = " ".join(f"{MARGIN + k * across:.1f},{bottom - rise * t / most:.1f}" for k, t in enumerate(totals))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{_LINES[name]}" stroke-width="1.5"/>')
    for k, (name, costs) in enumerate(curves.items()):
        parts.append(
            f'<text x="{MARGIN + 10 + 170 * k}" y="18" font-size="12" fill="{_LINES[name]}">{name} {sum(costs)}</text>'
        )
    parts.append(f'<rect id="now" x="{MARGIN}" y="{MARGIN}" width="1" height="{rise}" fill="#c33"/>')
    return "".join(parts)


def _svg(content: str, height: int) -> str:
    box = f'viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{content}</svg>'


def _table(totals: Mapping[str, int]) -> str:
    rows = "".join(f"<tr><td>{name}</td><td>{count}</td></tr>" for name, count in totals.items())
    return f"<table><tr><th>order</th><th>multiplications</th></tr>{rows}</table>"
