"""Which names are used after a statement."""

import ast
import textwrap

from tapeless.front.liveness import always_leaves, analyse, bound_names, loop_syntax


def parse(text):
    return ast.parse(textwrap.dedent(text)).body


def first(body, kind):
    return next(node for stmt in body for node in ast.walk(stmt) if isinstance(node, kind))


def test_names_after_a_branch():
    body = parse(
        """
        if c:
            a = 1
            b = 2
        else:
            a = 3
        b = a
        return b
        """
    )
    live = analyse(body)
    assert live.after[body[0]] == {"a"}


def test_what_a_loop_carries():
    body = parse(
        """
        s = 0
        for i in r:
            t = s + i
            s = t * 2
        return s
        """
    )
    live = analyse(body)
    assert live.head[body[1]] == {"s"}
    assert live.exposed[body[1]] == {"s", "i"}
    assert "t" not in live.after[body[1]]


def test_break_keeps_what_is_used_after_the_loop():
    body = parse(
        """
        while c:
            y = f(x)
            if y > 1:
                break
            x = y
        return y
        """
    )
    live = analyse(body)
    assert live.head[body[0]] >= {"x", "y", "c", "f"}


def test_names_at_the_end_of_the_block_around():
    body = parse(
        """
        if p:
            if q:
                return 1
            b = 2
            b = 3
        return b
        """
    )
    inner = body[0].body[0]
    live = analyse(body)
    assert "b" not in live.after[inner]
    assert "b" in live.end[inner]


def test_names_of_nested_functions_are_always_live():
    assert analyse(parse("g = lambda y: y + k\nreturn g(1)")).escaping == {"y", "k"}


def test_a_walrus_may_not_be_evaluated():
    body = parse("if a and (n := f(a)) > 1:\n    pass\nreturn n")
    assert "n" in analyse(body).after[body[0]]


def test_locals_and_loop_facts():
    body = parse(
        """
        for i, j in pairs:
            x[i] = j
            y += 1
            if j:
                break
        import math as m
        def f(): z = 1
        """
    )
    assert bound_names(body) == {"i", "j", "y", "m", "f"}
    facts = loop_syntax(body[0])
    assert facts.changed == {"x", "y"}
    assert facts.breaks
    assert not facts.returns


def test_blocks_that_always_leave():
    assert always_leaves(parse("if a:\n    return 1\nelse:\n    raise b"))
    assert not always_leaves(parse("if a:\n    return 1"))
    assert not always_leaves([])
