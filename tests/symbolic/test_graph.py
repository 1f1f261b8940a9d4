"""The graph: equal expressions are one node, canonical rules keep values, writing keeps sharing, all in linear time."""

from __future__ import annotations

import random

import pytest

from tapeless.ir.build import Builder
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.types import BOOL, F64, Type, Var, f64
from tapeless.symbolic.graph import Graph, substituted
from tapeless.symbolic.latex import LATEX, text
from tapeless.symbolic.rules import all_rules, fired
from tapeless.symbolic.write import Writer

from .helpers import MP

X, Y, Z = (Var(f"{name}.0", Type(F64)) for name in "xyz")
C = Var("c.0", Type(BOOL))


def random_nodes(g, dice, count):
    """Expressions grown at random, with the functions that they ought to be."""
    found = [(g.atom(v), lambda env, v=v: env[v]) for v in (X, Y, Z)]
    found += [(g.const(c, F64), lambda _, c=c: MP.mp.mpf(c)) for c in (0.0, 1.0, -1.0, 2.5)]
    conditions = [(g.atom(C), lambda env: env[C])]
    conditions.append((g.apply("not", g.atom(C)), lambda env: not env[C]))
    for _ in range(count):
        (x, fx), (y, fy) = dice.choice(found), dice.choice(found)
        match dice.choice(("add", "sub", "mul", "neg", "select")):
            case "add":
                found.append((g.add(x, y), lambda env, f=fx, h=fy: f(env) + h(env)))
            case "sub":
                found.append((g.apply("sub", x, y), lambda env, f=fx, h=fy: f(env) - h(env)))
            case "mul":
                found.append((g.mul(x, y), lambda env, f=fx, h=fy: f(env) * h(env)))
            case "neg":
                found.append((g.apply("neg", x), lambda env, f=fx: -f(env)))
            case _:
                c, fc = dice.choice(conditions)
                made = g.apply("select", c, x, y)
                found.append((made, lambda env, p=fc, f=fx, h=fy: f(env) if p(env) else h(env)))
    return found


def written(roots):
    b = Builder()
    return Function("f", (X, Y, Z, C), b.block(Writer().write(b, roots)))


@pytest.mark.parametrize("seed", range(20))
def test_canonical_rules_keep_values(seed):
    g, dice = Graph(), random.Random(seed)
    grown = random_nodes(g, dice, 40)[-8:]
    env = {X: MP.mp.mpf("0.3"), Y: MP.mp.mpf("-1.7"), Z: MP.mp.mpf("2.2"), C: seed % 2 == 0}
    got = evaluate(written([node for node, _ in grown]), [env[X], env[Y], env[Z], env[C]], MP)
    for value, (_, meaning) in zip(got, grown, strict=True):
        wanted = meaning(env)
        assert abs(value - wanted) <= MP.mp.mpf(10) ** -45 * (1 + abs(wanted))


def test_equal_expressions_are_one_node():
    g = Graph()
    x, y = g.atom(X), g.atom(Y)
    assert g.add(x, y) is g.add(y, x)
    assert g.mul(g.add(x, y), x) is g.mul(x, g.add(y, x))
    assert g.apply("neg", g.apply("neg", x)) is x
    assert g.add(x, g.const(0.0, F64)) is x
    assert g.apply("sub", x, g.apply("neg", y)) is g.add(x, y)
    c = g.atom(C)
    assert g.apply("select", g.apply("not", c), x, y) is g.apply("select", c, y, x)
    assert g.apply("select", c, g.apply("select", c, x, y), y) is g.apply("select", c, x, y)
    assert g.apply("select", c, x, x) is x


def test_what_is_shared_is_written_once():
    g = Graph()
    x = g.atom(X)
    node = x
    for _ in range(30):
        node = g.add(node, g.apply("sin", node))
    assert len(written([node]).body.stms) == 60


def test_a_long_program_is_written_statement_by_statement():
    """Two thousand nodes that depend on one another: no recursion, nothing twice."""
    g, dice = Graph(), random.Random(1)
    nodes = [g.atom(v) for v in (X, Y, Z)]
    while len(g) < 2000:
        op = dice.choice(("add", "mul", "sub", "sin"))
        args = [dice.choice(nodes[-50:]) for _ in range(1 if op == "sin" else 2)]
        nodes.append(g.apply(op, *args))
    assert len(written(nodes).body.stms) <= len(g)


def test_substitution():
    g = Graph()
    x = g.symbol(X)
    node = g.mul(g.add(x, g.atom(Y)), x)
    assert substituted(g, node, {x.number: g.atom(Z)}) is g.mul(g.add(g.atom(Z), g.atom(Y)), g.atom(Z))


def test_mathematics_is_readable():
    g = Graph()
    x, y = g.atom(X), g.atom(Y)
    node = g.apply("div", g.mul(g.add(x, y), g.add(x, y)), g.apply("sub", x, g.atom(f64(2.0))))
    assert text(node) == "(x + y)^2 / (x - 2)"
    assert text(node, LATEX) == r"\frac{\left(x + y\right)^2}{x - 2}"


def test_rules_have_names_and_statements():
    assert len({rule.name for rule in all_rules()}) == len(all_rules())
    assert set(fired) <= {rule.name for rule in all_rules()}


def test_texts_are_short_whatever_is_shared():
    g = Graph()
    node = g.atom(X)
    for _ in range(200):
        node = g.add(g.apply("sin", node), g.apply("cos", node))
    assert len(text(node)) <= 160
    assert len(text(node, LATEX)) < 20_000
