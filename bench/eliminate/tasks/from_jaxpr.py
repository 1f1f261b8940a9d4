"""The type codes that the published environment gives to the equations of a jaxpr: how the stored graphs were made.

    python -m tasks.from_jaxpr      (in bench/eliminate, with jax 0.4.26: the tracing of the paper's time)

One vertex per equation, in their order. The rules are facts about the original (its prim_mapper.py), odd ones included;
an operation that is not listed is refused. An output that is used again has a copy vertex of code 8. Results that are
not used all have one name there, so that the edges to them lead to the first of them, against the order of the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import arrays, scalar
from .rebound import rebound

ELEMENTWISE = {
    *("neg", "abs", "exp", "log", "log1p", "integer_pow", "square", "sqrt", "rsqrt", "logistic", "erf"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
}
BINARY = {"add", "sub", "mul", "div", "atan2", "pow", "max", "min", "add_any", "eq"}
OPAQUE = {"reshape", "slice", "dynamic_slice", "dynamic_update_slice"}
WITHOUT_EDGE = {"stop_gradient", "iota"}
SINGLE = ((), (1, 1))
GRAPHS = Path(__file__).parent / "graphs"


def coded_graph(jaxpr: Any) -> dict[str, Any]:
    """Inputs, shapes, outputs and codes of the graph of a closed jaxpr."""
    inner = jaxpr.jaxpr
    numbers = {variable: number for number, variable in enumerate(inner.invars)}
    codes: dict[tuple[int, int], int] = {}
    unused: list[int] = []
    for equation in inner.eqns:
        (result,) = equation.outvars
        target = numbers[result] = len(numbers)
        if type(result).__name__ == "DropVar":
            unused.append(target)
            target = unused[0]
        for operand, code in _codes(equation):
            if operand in numbers:
                codes[numbers[operand], target] = code
    shapes = [_matrix(variable.aval.shape) for variable in numbers]
    outputs: list[int] = []
    for variable in inner.outvars:
        number = numbers[variable]
        if any(source == number for source, _ in codes):
            codes[number, len(shapes)] = 8
            number = len(shapes)
            shapes.append(_matrix(variable.aval.shape))
        outputs.append(number)
    edges = [[source, target, code] for (source, target), code in sorted(codes.items())]
    return {"inputs": len(inner.invars), "shapes": shapes, "outputs": outputs, "codes": edges}


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """A shape as the original takes it."""
    if len(shape) == 1:
        return shape[0], 1
    sizes = [size for size in shape if size != 1]
    if not sizes:
        return 1, 1
    if len(shape) > 2:
        raise ValueError(f"more than two axes: {shape}")
    return shape[0], shape[1]


def _codes(equation: Any) -> Iterator[tuple[Any, int]]:
    name = equation.primitive.name
    variables = [operand for operand in equation.invars if hasattr(operand, "count")]
    if name in WITHOUT_EDGE or not variables:
        return
    target = _matrix(equation.outvars[0].aval.shape)
    if name == "dot_general":
        yield from zip(equation.invars, _dot(equation), strict=True)
    elif name in BINARY:
        for variable in variables:
            other = equation.invars[1 - equation.invars.index(variable)]
            yield variable, _binary(_matrix(variable.aval.shape), _matrix(other.aval.shape), target)
    elif name == "concatenate":
        yield from ((variable, 11) for variable in variables)
    else:
        yield variables[0], _unary(name, equation, _matrix(variables[0].aval.shape), target)


def _unary(name: str, equation: Any, source: tuple[int, int], target: tuple[int, int]) -> int:
    if name in ELEMENTWISE:
        return 1 if source == (1, 1) else 6
    if name in OPAQUE:
        return 11
    match name:
        case "convert_element_type":
            return -1
        case "broadcast_in_dim" | "squeeze":
            return -6 if source == target else -7
        case "transpose":
            return 1 if source == (1, 1) else -4 if source[1] == 1 else -5 if source[0] == 1 else -7
        case "reduce_sum":
            return _reduced(equation, -4 if equation.params["axes"][0] == 0 else -2, -3)
        case "reduce_max" | "reduce_min":
            return _reduced(equation, 2, 3)
    raise NotImplementedError(name)


def _reduced(equation: Any, column: int, row: int) -> int:
    source, target = equation.invars[0].aval.shape, equation.outvars[0].aval.shape
    if len(source) < 2 or source == (1, 1) or target in SINGLE:
        return 1
    return column if len(target) == 1 else row if target[0] == 1 else 1


def _binary(source: tuple[int, int], other: tuple[int, int], target: tuple[int, int]) -> int:
    if source == (1, 1):
        return 1
    if source[1] == 1:
        return -2 if target[1] == 1 and other == (1, 1) else 2
    if source[0] == 1:
        return -3 if target[0] == 1 and other == (1, 1) else 3
    if other[1] == 1:
        return -8  # also beside a single number, where the original means 10
    return 8 if other[0] == 1 else 6


def _dot(equation: Any) -> tuple[int, int]:
    left, right = (operand.aval.shape for operand in equation.invars)
    ((along_left,), (along_right,)) = equation.params["dimension_numbers"][0]
    if len(left) == 1:
        if len(right) == 1:
            return 1, 1
        if right in SINGLE or right[0] != 1:
            return -4, -3
        return (-3, -2) if (along_left, along_right) == (0, 1) else (1, 1)
    if len(right) == 1:
        return -2, 1
    if right in SINGLE:
        return 1, 1
    return (-2 if along_left == 1 else -4), (-3 if along_right == 0 else -5)


def traced() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Name, function and arguments of each task that is stored this way."""
    import jax
    from jax import numpy
    from jax.scipy.special import erf

    from .accumulated import gradient

    price = rebound(scalar, np=numpy, erf=erf)["black_scholes"]
    yield "black_scholes", jax.vmap(gradient(price)), tuple(numpy.ones(1) for _ in range(5))
    functions = rebound(arrays, np=numpy, _softmax=lambda x, axis: jax.nn.softmax(x, axis=axis))
    one = numpy.ones
    yield "roe_flux_3d", jax.vmap(functions["roe_flux_3d"]), tuple(one((1, size)) for size in (1, 3, 1, 1, 3, 1))
    mapped = jax.vmap(functions["perceptron"], (0, 0, None, None, None, None, None, None))
    yield "perceptron", mapped, (one((1, 4)), one((1, 4)), one((8, 4)), one(8), one((4, 8)), one(4), 0.0, 1.0)
    shapes = ((4, 4), (2, 4), *((4, 4),) * 7, (2, 4), (4,), (2, 1))
    yield "encoder", functions["encoder"], (*map(one, shapes), 0.0, 1.0, 0.0, 1.0)


def main() -> None:
    import jax

    for name, function, arguments in traced():
        graph = coded_graph(jax.make_jaxpr(function)(*arguments))
        (GRAPHS / f"{name}.json").write_text(json.dumps(graph, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
