"""The named rules, and how often each of them fired.

Every rewrite of this folder is done under the name of a rule: `docs/theory/coarsening.md` proves it under that name,
tests ask for it under that name, and `explain()` says which ones made a closed form.
"""

from __future__ import annotations

from collections import Counter

from ..records import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A name, and what it says in one line."""

    name: str
    statement: str


_TABLE = {
    rule.name: rule
    for rule in (
        Rule("fold", "an operation on constants is a constant"),
        Rule("order", "operands of a commutative operation stand in the order in which they were made"),
        Rule("neutral", "x + 0, x - 0, x * 1, x / 1 are x"),
        Rule("negation", "-(-x) is x; x + (-y) is x - y; x * -1 is -x"),
        Rule(
            "phi", "phi(c, a, a) is a; phi(not c, a, b) is phi(c, b, a); phi in phi on the same c is one (F1, F3, C3)"
        ),
        Rule("F2", "f(phi(c, a, b)) is phi(c, f(a), f(b)), where it lets another rule apply"),
        Rule("F4", "a carried value at the start of an iteration is what the iteration before left"),
        Rule("F5", "ways out of a loop that leave the same value are one way"),
        Rule("C5", "a loop over d = f(d) ends with f applied as often as it runs"),
        Rule("C6", "x = a x + b, n times, is a^n x + b (1 + a + ... + a^(n-1)), by squaring"),
        Rule("C7", "x = a x + b[i]: steps are composed in blocks, with powers of a from before the loop"),
        Rule("C8", "x = a[i] x + b[i]: steps are composed in blocks, a1 (a0 x + b0) + b1 = a1 a0 x + (a1 b0 + b1)"),
        Rule("C9", "x = a x^b, n times, is a^(1 + b + ... + b^(n-1)) x^(b^n), for positive a and x"),
        Rule("Moebius", "x = (a x + b) / (c x + d), n times, is such a quotient with the n-th power of its matrix"),
        Rule("arithmetic", "x = x + b, n times, is x + n b"),
        Rule("steps", "powers of I + P are I + P', with 2 P + P P for the square: small steps keep their digits"),
        Rule("coupled", "several x = A x + b at once are a power of the matrix of (A, b), by squaring"),
        Rule("counter", "what grows with the counter is a system with the counter as one more unknown"),
        Rule("linear", "a sum over i of u_i + v_i x is the sum of u_i, and x times that of v_i"),
        Rule("Faulhaber", "the sum of i^k over i < n is a polynomial in n"),
        Rule("geometric", "the sum of c q^i is c (1 + q + ... + q^(n-1)), by squaring"),
        Rule("product", "the product of n equal factors is a power, by squaring"),
        Rule("log1p", "log(1 + y) is log1p(y)"),
        Rule("expm1", "exp(x) - 1 is expm1(x)"),
        Rule("softplus", "log(1 + exp(x)) is h + log1p(exp(l - h)), h and l the larger and the smaller of x and 0"),
        Rule("logsumexp", "log of a sum of exponentials is the largest exponent, and log1p of the sum of the others"),
        Rule("hypot", "sqrt(x^2 + y^2) is hypot(x, y)"),
        Rule("removable", "sin(x) / x and its like are series near zero"),
        Rule("fingerprint", "a value that is the sum or product of two others may be computed from them"),
        Rule("factor", "x a + y b + x c is x (a + c) + y b; p (q a + r b) with products q a and r b is q p a + r p b"),
        Rule("egglog", "sums and products equal by associativity, commutativity and common factors, by saturation"),
        Rule("chain", "(A B) v is A (B v), for a matrix A B that nothing else reads"),
        Rule("shared", "a matrix times a vector that was computed before is not computed again"),
        Rule("exit", "the first k with x_k beyond a bound, for x_k = x* + a^k (x_0 - x*), by a logarithm"),
    )
}


def rule(name: str) -> Rule:
    return _TABLE[name]


def all_rules() -> tuple[Rule, ...]:
    return tuple(_TABLE.values())


# How often each rule fired in this process; read by the coverage report.
fired: Counter[str] = Counter()
