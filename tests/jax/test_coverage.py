"""All of `jax.nn` and `jax.scipy.special`, and what the guide says of primitives.

Many functions make one program, since compiling takes most of the time.
"""

import inspect
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, nn
from jax.extend.core import primitives
from jax.scipy import special

import tapeless.jax as tj
from tapeless.front.jaxpr.convert import RULES
from tapeless.front.jaxpr.foreign import KERNELS, WHOLE

PAGE = (Path(__file__).parents[2] / "docs/guide/jax.md").read_text()
X = jnp.array([0.3, 0.25, 0.8, 0.45])
Functions = dict[str, Callable[[Any], Any]]


def names_of(module: Any) -> set[str]:
    return {
        name
        for name in dir(module)
        if not name.startswith("_") and callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))
    }


def check(functions: Functions, x: Any) -> None:
    """Our Jacobians are those of JAX."""

    def everything(x: Any) -> Any:
        return {name: function(x) for name, function in functions.items()}

    got, want = jax.jit(lambda x: (tj.jacobian(everything)(x), jax.jacfwd(everything)(x)))(x)
    for name in functions:
        for one, other in zip(jax.tree.leaves(got[name]), jax.tree.leaves(want[name]), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=name)


# -- jax.nn -------------------------------------------------------------------------------------------

# What is no function of an array of floats: it has tests elsewhere, or nothing to differentiate.
NO_ACTIVATIONS = {
    "dot_product_attention",
    "get_scaled_dot_general_config",
    "one_hot",
    "scaled_dot_general",
    "scaled_matmul",
}


def test_activations() -> None:
    names = names_of(nn) - NO_ACTIVATIONS
    assert len(names) >= 30
    negative = {"log1mexp"} & names
    check({name: getattr(nn, name) for name in names - negative}, X - 0.5)
    check({name: getattr(nn, name) for name in negative}, X)


def test_attention() -> None:
    """JAX computes its softmax in single precision, whatever the type of the arguments."""

    def attention(x: Any) -> Any:
        return nn.dot_product_attention(x, x * 2, jnp.sin(x), is_causal=True)

    x = jnp.linspace(-1.0, 1.0, 12).reshape(1, 3, 2, 2)
    np.testing.assert_allclose(tj.jacobian(attention)(x), jax.jacfwd(attention)(x), rtol=1e-5, atol=1e-6)


# -- jax.scipy.special --------------------------------------------------------------------------------

# Complex results, functions of integers, and what JAX itself has no derivative of.
NO_DERIVATIVES = {"bernoulli", "bessel_jn", "sph_harm_y", "wofz", "zeta"}
# Functions that have primitives without a rule of ours.
OPAQUE = {"betainc", "gammainc", "gammaincc", "hyp2f1", "i0", "i0e", "i1", "i1e", "polygamma"}
# Functions of thousands of operations.
LONG = {"exp1", "expi", "expn", "hyp1f1"}
OF_SEVERAL: Functions = {
    "beta": lambda x: special.beta(x, 2.0),
    "betainc": lambda x: special.betainc(2.0, 3.0, x),
    "betaln": lambda x: special.betaln(x, x[::-1]),
    "boxcox": lambda x: special.boxcox(x, 0.5),
    "boxcox1p": lambda x: special.boxcox1p(x, 0.5),
    "comb": lambda x: special.comb(x + 5, 2.0),
    "expn": lambda x: special.expn(2, x),
    "gammainc": lambda x: special.gammainc(2.0, x),
    "gammaincc": lambda x: special.gammaincc(2.0, x),
    "hyp1f1": lambda x: special.hyp1f1(1.0, 2.0, x),
    "hyp2f1": lambda x: special.hyp2f1(1.0, 2.0, 3.0, x / 2),
    "kl_div": lambda x: special.kl_div(x, x[::-1]),
    "multigammaln": lambda x: special.multigammaln(x + 2, 2),
    "owens_t": lambda x: special.owens_t(x, 0.5),
    "poch": lambda x: special.poch(x, 2.0),
    "polygamma": lambda x: special.polygamma(1, x),
    "rel_entr": lambda x: special.rel_entr(x, x[::-1]),
    "xlog1py": lambda x: special.xlog1py(x, x[::-1]),
    "xlogy": lambda x: special.xlogy(x, x[::-1]),
}


def test_special_functions() -> None:
    """Warnings are errors here: all but the opaque ones are seen through."""
    names = names_of(special) - NO_DERIVATIVES
    assert set(OF_SEVERAL) <= names
    functions = {name: OF_SEVERAL.get(name, getattr(special, name)) for name in sorted(names)}
    plain = sorted(names - OPAQUE - LONG)
    for group in (*(plain[k::4] for k in range(4)), *({name} for name in LONG)):
        check({name: functions[name] for name in group}, X[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tj.JaxRuleWarning)
        check({name: functions[name] for name in OPAQUE}, X[:2])


# -- primitives ---------------------------------------------------------------------------------------


def square(x: Any) -> Any:
    return jnp.outer(x, x) + 2 * jnp.eye(4) + jnp.diag(x)


def pooled(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (2,), (2,), "VALID")


PROBES: Functions = {
    "bessel_i0e": special.i0e,
    "bessel_i1e": special.i1e,
    "eigh": lambda x: jnp.linalg.eigvalsh(square(x)),
    "fft": lambda x: jnp.abs(jnp.fft.rfft(x)),
    "igamma": lambda x: special.gammainc(2.0, x),
    "igammac": lambda x: special.gammaincc(2.0, x),
    "polygamma": lambda x: special.polygamma(1, x),
    "psum": jax.vmap(lambda y: y / lax.psum(y, "i"), axis_name="i"),
    "qr": lambda x: jnp.linalg.qr(square(x))[1] ** 2,
    "regularized_incomplete_beta": lambda x: special.betainc(2.0, 3.0, x),
    "select_and_gather_add": lambda x: jax.jvp(pooled, (x,), (x * x,))[1],
    "select_and_scatter_add": jax.grad(lambda x: jnp.sum(pooled(x) ** 3)),
    "svd": lambda x: jnp.linalg.svd(square(x), compute_uv=False),
    "tridiagonal_solve": lambda x: lax.linalg.tridiagonal_solve(x, x + 3, x, x[:, None]),
}


@pytest.mark.parametrize("name", PROBES)
def test_primitives_without_a_rule_keep_the_derivative_of_jax_and_say_so(name: str) -> None:
    function = PROBES[name]
    with pytest.warns(tj.JaxRuleWarning, match=rf"TP310.*\b{name}\b"):
        got = tj.jacobian(function)(X)
    np.testing.assert_allclose(got, jax.jacfwd(function)(X), rtol=1e-9, atol=1e-11)


def test_parts_of_other_numbers_keep_the_derivative_of_jax_and_say_so() -> None:
    def rounded(x: Any) -> Any:
        return jnp.sin(x.astype(jnp.float16)).astype(x.dtype) * x

    with pytest.warns(tj.JaxRuleWarning, match=r"TP310.*with float16"):
        got = tj.jacobian(rounded)(X)
    np.testing.assert_allclose(got, jax.jacfwd(rounded)(X), rtol=1e-3, atol=1e-3)


def listed(heading: str) -> set[str]:
    """The names in the block after some words of the guide."""
    found = re.search(rf"{re.escape(heading)}.*?```text\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return set(found[1].split())


def test_the_guide_lists_the_primitives() -> None:
    known = {getattr(primitives, name).name for name in dir(primitives) if name.endswith("_p")}
    assert listed("These have a rule") == {name for name in RULES if not name.startswith("tapeless_")}
    assert listed("These are left to XLA when they are large") == KERNELS
    assert listed("These are left to XLA whatever their size") == WHOLE
    assert listed("These keep JAX's derivative") == set(PROBES)
    assert not set(PROBES) & set(RULES)
    assert set(RULES) >= KERNELS | WHOLE
    rest = listed("The others have no derivative")
    assert known - set(RULES) - set(PROBES) <= rest, "a primitive of JAX that the guide does not mention"


def test_reductions_along_axes_with_names() -> None:
    """Under `vmap` with a name for the axis, the Jacobian of each lane."""

    def share(y: Any) -> Any:
        return y**2 / lax.psum(lax.stop_gradient(y), "i")

    ours = jax.vmap(tj.grad(share, backend="jax"), axis_name="i")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tj.JaxRuleWarning)
        np.testing.assert_allclose(ours(X), jax.vmap(jax.grad(share), axis_name="i")(X), rtol=1e-12)


def test_effects_happen(capfd: pytest.CaptureFixture[str]) -> None:
    def printing(x: Any) -> Any:
        jax.debug.print("first {}", x[0])
        return jnp.sin(x)

    np.testing.assert_allclose(tj.jacobian(printing)(X), jax.jacfwd(jnp.sin)(X), rtol=1e-12)
    jax.effects_barrier()
    assert capfd.readouterr().out.count("first 0.3") == 1


def test_what_a_rule_closes_over_is_not_differentiated_by() -> None:
    """`odeint` has a rule for reverse mode only, and its code has a loop of unknown length."""
    from jax.experimental.ode import odeint

    def end(x: Any) -> Any:
        return jnp.sum(odeint(lambda y, _: -y * y, x, jnp.array([0.0, 0.5])) ** 2)

    np.testing.assert_allclose(tj.grad(end)(X), jax.grad(end)(X), rtol=1e-10)


def test_exponentials_of_matrices() -> None:
    """Bins are found by comparing unsigned numbers: nothing is differentiated there, and there is no warning."""
    x = jnp.array([[0.1, 0.3], [-0.2, 0.4]])
    got, want = jax.jit(lambda x: [verb(jax.scipy.linalg.expm)(x) for verb in (tj.jacobian, jax.jacfwd)])(x)
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_iterative_solvers() -> None:
    matrix = np.eye(4) * 3 + 1
    solve = partial(jax.scipy.sparse.linalg.cg, lambda v: matrix @ v)
    np.testing.assert_allclose(tj.jacobian(lambda x: solve(x)[0])(X), np.linalg.inv(matrix), rtol=1e-9)
