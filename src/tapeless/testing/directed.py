"""Programs written for one rule each, where random ones do not go: whole Jacobians, users' rules, refusals, activity.

`CASES` holds them (the programs stand in the files beside this one); `broken(case)` says in words what is wrong,
and nothing when the rules are right. `tools/mutate_rules.py` measures what they add: each is there because a mistake
planted in a rule went unnoticed without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..ad.activity import varied
from ..ad.choices import masked
from ..ad.direction import jacobian_either
from ..ad.elements import Input, inputs_of
from ..ad.functions import jvp_function, prepared, vjp_function
from ..ad.jacobians import Jacobian, filled, gradient, jacobian_forward, jacobian_reverse
from ..ad.jvp import pushforward
from ..ad.planner import Plan
from ..ad.roots import flat as level
from ..ad.roots import steep
from ..errors import DerivativeError
from ..ir.build import Builder
from ..ir.check import check
from ..ir.core import Block, Function
from ..ir.eval import evaluate
from ..ir.numbers_count import CountingTower
from ..ir.text import parse_function
from ..ir.types import F64, Type, Var, f64
from ..ir.walk import statements, substitute
from ..passes.notes import Notes
from . import directed_activity as activity
from . import directed_combine as combine
from . import directed_costs as costs
from . import directed_custom as custom
from . import directed_extremes as extremes
from . import directed_masks as masks
from . import directed_places as places
from . import directed_programs as texts
from . import directed_roots as roots
from . import directed_sums as sums
from .compare import outcome
from .counting import work
from .derivative_law import EXACT, judge_derivatives
from .directed_kinds import (
    Active,
    Along,
    Case,
    Cheap,
    Dense,
    Fails,
    Law,
    Level,
    Prepared,
    Promise,
    Refused,
    Sized,
    Steps,
)
from .directed_loops import EXCHANGED, GROWING, IN_A_MAP, NEVER_RUN, OVERWRITING, PLACES_OF_ARMS
from .directed_steps import STEPS, schedule_mistakes
from .oracle import Oracle, deviation, flat


def broken(case: Case) -> str:
    """What is wrong, in words; empty when nothing is."""
    function = parse_function(case.text)
    check(function)
    match case:
        case Law(_, _, args, order, modes):
            verdict = judge_derivatives(function, args, order=order, modes=modes, prepared=False)
            return "" if verdict.kind == "ok" else str(verdict)
        case Dense(_, _, args):
            return _dense(function, args)
        case Promise():
            return _promise(function, np.array(case.point), np.array(case.gradient))
        case Refused():
            return _refused(function, case)
        case Active(_, _, names):
            found = frozenset(varied(function.body, {function.params[0].name}))
            return "" if found == names else f"varied: {sorted(found)} instead of {sorted(names)}"
        case Level():
            return _level(function, case)
        case Along():
            return _along(function, case)
        case Cheap(_, _, args, most):
            seeds = [np.ones(np.shape(result)) for result in evaluate(function, args)]
            found, _ = work(vjp_function(function, (0,)), [*args, *seeds])
            return "" if found <= most else f"work of {found} instead of {most} at most"
        case Steps():
            return _steps(function, case) or schedule_mistakes()
        case Fails(_, _, args):
            derived = (jvp_function(function, (0,)), vjp_function(function, (0,)))
            return "" if all(outcome(partial(evaluate, d, [*args, 1.0])).fault for d in derived) else "does not fail"
        case Sized(_, _, args):
            return _sized(function, args)
        case Prepared(_, _, args):
            other = Function("prepared", function.params, prepared(function.body, function.params, Notes()))
            check(other)
            same = all(map(np.array_equal, evaluate(function, args), evaluate(other, args)))
            return "" if same else "other results"


# -- Jacobians ------------------------------------------------------------------------------------------


def _dense(function: Function, args: Sequence[Any]) -> str:
    wrt = [param for param in function.params if param.type.dtype.is_float]
    smooth = [k for k, type in enumerate(function.result_types) if type.dtype.is_float]
    expected = [_columns(function, args, k, param) for k in smooth for param in wrt]
    for inputs in (inputs_of([var.type for var in wrt]), tuple(Input(var.type, (var,)) for var in wrt)):
        variant = _by_inputs(function, wrt, inputs)
        given = [x for param, arg in zip(function.params, args, strict=True) for x in _pieces(param, arg, wrt, inputs)]
        for mode in ("forward", "reverse", "either"):
            found = _jacobian(variant, inputs, smooth, mode, given)
            for k, (x, y) in enumerate(zip(found, expected, strict=True)):
                if np.shape(x) != np.shape(y) or deviation(x, y) > EXACT:
                    return f"{mode}: entry {k} is {x} instead of {y}"
    if function.result_types[0] == Type(F64):
        found = _gradient(function, wrt, args)
        if any(deviation(x, y) > EXACT for x, y in zip(found, expected[: len(wrt)], strict=True)):
            return f"gradient: {found} instead of {expected[: len(wrt)]}"
    return ""


def _by_inputs(function: Function, wrt: Sequence[Var], inputs: Sequence[Input]) -> Function:
    """The function of the variables that stand for those to differentiate by."""
    b = Builder()
    values = {var: given.value(b) for var, given in zip(wrt, inputs, strict=True)}
    results = b.splice(substitute(function.body, values))
    stands = {var: given.vars for var, given in zip(wrt, inputs, strict=True)}
    params = [var for param in function.params for var in stands.get(param, (param,))]
    return Function("by_inputs", tuple(params), b.block(results))


def _pieces(param: Var, arg: Any, wrt: Sequence[Var], inputs: Sequence[Input]) -> list[Any]:
    given = inputs[wrt.index(param)] if param in wrt else None
    return [arg] if given is None or given.is_whole else flat(arg)


def _jacobian(
    function: Function, inputs: Sequence[Input], smooth: Sequence[int], mode: str, args: Sequence[Any]
) -> Any:
    """Entry by entry in long numbers, rows first."""
    b = Builder()
    block = b.hoist_sizes([var for given in inputs for var in given.vars], function.body)
    floats = Block(block.stms, tuple(block.results[k] for k in smooth))
    rows: Jacobian
    match mode:
        case "forward":
            rows = jacobian_forward(b, floats, inputs)
        case "either":
            rows = jacobian_either(b, floats, inputs, Plan())
        case _:
            values, rows = jacobian_reverse(b, block, inputs, Plan())
            if any(row for k, row in enumerate(rows) if k not in smooth) or len(values) != len(block.results):
                raise AssertionError("rows for results that are not floats")
            rows = tuple(rows[k] for k in smooth)
    return _long(function, b, [entry for row in rows for entry in row], args)


def _gradient(function: Function, wrt: Sequence[Var], args: Sequence[Any]) -> Any:
    b = Builder()
    _, adjoints = gradient(b, function.body, wrt, Plan())
    return _long(function, b, adjoints, args)


def _long(function: Function, b: Builder, results: Sequence[Any], args: Sequence[Any]) -> Any:
    program = Function("jacobian", function.params, b.block(results))
    check(program)
    return Oracle(program).evaluate(args).results


def _columns(function: Function, args: Sequence[Any], result: int, param: Var) -> Any:
    """The derivative of a result by a parameter from differences: the shape of the one, then that of the other."""
    number = function.params.index(param)
    shape = np.shape(args[number])
    columns: list[Any] = []
    for place in np.ndindex(shape):
        direction: list[Any] = [None] * len(args)
        direction[number] = np.zeros(shape)
        direction[number][place] = 1.0
        direction[number] = direction[number][()]
        columns.append(Oracle(function).slope(args, direction).along[result])
    stacked = np.empty((len(columns), *np.shape(evaluate(function, args)[result])), object)
    for k, column in enumerate(columns):
        stacked[k] = column
    turned = np.moveaxis(stacked, 0, -1)
    return turned.reshape((*turned.shape[:-1], *shape))[()]


# -- what is promised, refused, known -------------------------------------------------------------------


def _promise(function: Function, point: Any, expected: Any) -> str:
    active = range(len(function.params))
    forward, reverse = jvp_function(function, active), vjp_function(function, active)
    whole = function.params[0].type.is_array
    args, axes = ([point], [[axis] for axis in np.eye(len(point))]) if whole else ([*point], np.eye(len(point)))
    along = [evaluate(forward, [*args, *axis])[-1] for axis in axes]
    adjoints = evaluate(reverse, [*args, np.float64(1.0)])[1:]
    for mode, found in (("forward", along), ("reverse", adjoints[0] if whole else adjoints)):
        if not np.array_equal(np.array(found), expected, equal_nan=True):
            return f"{mode}: {found} instead of {expected}"
    return ""


def _level(function: Function, case: Level) -> str:
    numbers = {var.name for stm in statements(function.body) for var in stm.vars if not var.type.dtype.is_float}
    found = level(function.body) - numbers
    into_roots = steep(function.body, (), found, masked(function.body, ()))
    wrong = (found ^ case.flat) | (into_roots ^ case.steep)
    return f"flat are {sorted(found)}, steep {sorted(into_roots)}: wrong {sorted(wrong)}" if wrong else ""


def _refused(function: Function, case: Refused) -> str:
    limited = partial(vjp_function, plan=Plan(states=100))
    for mode, transform in (("forward", jvp_function), ("reverse", vjp_function), ("reverse", limited)):
        try:
            transform(function, (0,))
        except DerivativeError as error:
            if mode not in case.modes or case.words not in str(error):
                return f"{mode}: {error}"
        else:
            if mode in case.modes:
                return f"{mode}: not refused"
    return ""


def _along(function: Function, case: Along) -> str:
    b = Builder()
    literals = {var: f64(x_dot) for var, x_dot in zip(function.params, case.tangents, strict=True)}
    values, dots = pushforward(b, function.body, literals)
    found = _long(function, b, filled(b, dots, [value.type for value in values]), case.args)
    expected = Oracle(function).slope(case.args, [np.float64(x_dot) for x_dot in case.tangents]).along
    wrong = [k for k, (x, y) in enumerate(zip(found, expected, strict=True)) if deviation(x, y) > EXACT]
    return f"tangents {wrong} are {found} instead of {expected}" if wrong else ""


def _steps(function: Function, case: Steps) -> str:
    tower, given = CountingTower(), [*case.args, np.float64(1.0)]
    found = evaluate(vjp_function(function, (0,), case.plan), given, tower)
    if not all(map(np.array_equal, found, evaluate(vjp_function(function, (0,)), given))):
        return f"other results than without a plan: {found}"
    return "" if tower.counts["sin"] == case.sines else f"{tower.counts['sin']} sines instead of {case.sines}"


def _sized(function: Function, args: Sequence[Any]) -> str:
    reverse = vjp_function(function, (0,))
    for more in (0, 1):
        seeds = [np.ones(np.add(np.shape(x), more)) for x in evaluate(function, args)]
        try:
            evaluate(reverse, [*args, *seeds])
        except ValueError:
            if not more:
                return "refuses cotangents of the right size"
        else:
            if more:
                return "takes cotangents that are too long"
    return ""


VECTOR = np.array([0.4, -1.3, 2.1])
EIGHT = np.array([0.4, -1.3, 2.1, 0.9, -0.6, 1.7, 0.3, -2.2])
SQUARE = np.array([[0.5, 1.2, -0.7], [2.0, -0.3, 0.9], [-1.1, 0.6, 1.4]])
TABLE = np.outer(EIGHT[:4], EIGHT[4:])
KEYS = np.array([2, 0, 2])
MATRIX = np.array([[0.5, 1.2, -0.7], [2.0, -0.3, 0.9]])

CASES: tuple[Case, ...] = (
    Dense("a scalar by a scalar", texts.SCALARS, (0.7, 1.9)),
    Dense("arrays by arrays of ranks 0 to 2", texts.ARRAYS, (VECTOR, MATRIX, 0.8, 2)),
    Dense("arrays of literal sizes", texts.LITERAL_SIZES, (MATRIX,)),
    Dense("arrays of two unknown sizes", texts.SYMBOLIC_SIZES, (MATRIX,)),
    Dense("results put together from scalars", texts.STACKED, (VECTOR[:2], 0.8)),
    Dense("a scan of scalars", texts.SCANNED, (0.6, 0.9)),
    Dense("an array by another of its size", texts.SQUARES, (VECTOR,)),
    Dense("an array of a computed size", texts.DIFFERENCES, (VECTOR,)),
    Dense("an array without elements", texts.ARRAYS, (np.zeros(0), np.zeros((2, 0)), 0.8, 2)),
    Law("parts of arrays in arms", texts.PARTS_IN_ARMS, (VECTOR, MATRIX.T)),
    Law("moves of parts of arrays", texts.MOVES, (MATRIX, 0.8), order=2),
    Law("one operand twice", texts.REPEATED, (0.7, 1.9)),
    Along("tangents of one and minus one", texts.REPEATED, (0.7, 1.9), (-1.0, 1.0)),
    Along("tangents of minus one and zero", texts.REPEATED, (0.7, 1.9), (0.0, -1.0)),
    Law("products that are masked", texts.SCALED, (0.7, 1.9), order=2),
    Promise("a product with zero", texts.SCALED_BY_ZERO, (0.0, 0.0), (0.0, -np.inf)),
    Law("values that could vary and do not", texts.ZERO_TANGENTS, (VECTOR, 0.8)),
    Law("operators with an extremum among others", texts.EXTREMA, (VECTOR,)),
    Law("a rule for tangents", custom.TANGENT_RULE, (VECTOR, 0.8, 2), order=2),
    Law("a rule for tangents in a loop", custom.TANGENT_RULE_IN_LOOP, (VECTOR, 0.8), order=2),
    Law("a rule for adjoints", custom.ADJOINT_RULE, (VECTOR, 0.8, 2), modes=("reverse", "limited")),
    Law("a rule for adjoints in a loop", custom.ADJOINT_RULE_IN_LOOP, (VECTOR, 0.8), modes=("reverse", "limited")),
    Promise("the rule of an arm that is not taken", custom.RULE_NOT_TAKEN, (0.0, 4.0), (0.0, 0.25)),
    Promise("the adjoint rule of an arm that is not taken", custom.RULE_OF_ARRAY_NOT_TAKEN, (0.0, 4.0), (0.0, 0.25)),
    Promise("an infinite value that a loop carries, not taken", texts.INFINITE_CARRIED, (0.0, 3.0), (0.0, 0.0)),
    Promise("infinite values of inner blocks, not taken", texts.INFINITE_INSIDE, (0.0, 3.0), (0.0, 0.0)),
    Refused("forward mode through a rule for adjoints", custom.ADJOINT_RULE, "forward mode", ("forward",)),
    Refused("a rule that takes a value from its surroundings", custom.CLOSING_RULE, "surroundings"),
    Refused("the bits of a number", activity.BITS, "'bitcast' is not defined"),
    Refused("the bits of a constant", activity.BITS_OF_CONSTANT, "", ()),
    *(Refused(f"a growing array {how}", text, "change their size", ("reverse",)) for how, text in GROWING.items()),
    Sized("cotangents of another size", texts.SQUARES, (VECTOR,)),
    Prepared("a block over arrays of unknown sizes", texts.PARTS_IN_ARMS, (VECTOR, MATRIX.T)),
    Fails("a check", texts.CHECKED, (-1.0,)),
    Active("activity", activity.ACTIVITY, activity.ACTIVE_NAMES),
    Law("places that move", places.MOVING, (SQUARE, VECTOR, KEYS, 1)),
    Law("places that wrap around", places.WRAPPED, (EIGHT[:4], TABLE, TABLE[1:], 1, np.array([2, 0, 3, 0]))),
    Law("one place that wraps around", places.WRAPPED, (EIGHT[:1], TABLE[:1, :1], TABLE[1:, :1], 0, KEYS[1:2])),
    Law("parts whose size varies", places.TRIANGLES, (SQUARE, VECTOR)),
    Law("a table read in nested maps", places.NESTED_GATHER, (EIGHT[:4], VECTOR, KEYS)),
    Law("one row several times", places.ROWS, (SQUARE, 1)),
    *(Law(f"an arm with several contributions, {c}", places.ARMS, (VECTOR, 0.8, c)) for c in (True, False)),
    *(Law(f"an array read before it is overwritten {t} times", places.READ_BEFORE, (EIGHT, t)) for t in (0, 1, 3, 8)),
    Law("prefix sums", combine.PREFIXES, (VECTOR, MATRIX.T), order=2),
    *(
        Law(
            f"{form} of what needs a loop and what does not",
            combine.mixed(form),
            (EIGHT[:5], MATRIX[0], np.arange(5) % 4),
        )
        for form in ("reduce", "scan", "hist")
    ),
    Law("the largest of columns", combine.COLUMNS, (MATRIX.T, KEYS, 4)),
    Law("a product of rows", combine.PRODUCT_OF_ROWS, (MATRIX.T,)),
    Law("the largest of values that are made by a branch", combine.EXTREMA_OF_MADE, (VECTOR,)),
    Law("a neutral element that is the result", combine.NEUTRAL, (np.zeros(0), 0.8)),
    Law("a neutral element that is not the result", combine.NEUTRAL, (VECTOR, -5.0)),
    Law("a sum that starts from what varies", combine.varying_start("add", "0.5"), (VECTOR, 0.5)),
    Law("a product that starts from what varies", combine.varying_start("mul", "0.5"), (VECTOR, 1.5)),
    Law("histograms", combine.HISTOGRAMS, (VECTOR, SQUARE[:2, :2], SQUARE[1:, 1:], MATRIX, SQUARE, KEYS // 2)),
    Promise("the largest root", masks.MAX_OF_ROOTS, (0.0, 4.0), (0.0, 0.25)),
    Promise("the logarithm of an argument", masks.LOG_OF_AN_ARGUMENT, (0.0, 3.0), (0.0, 0.0)),
    Promise("the root of a chosen product with a zero", masks.ROOT_OF_A_CHOICE, (1.0, 4.0), (np.inf, 0.0)),
    Promise("the root of a product that is not chosen", masks.ROOT_OF_A_CHOICE, (0.0, 3.0), (0.0, 0.0)),
    Promise("a product that is used when finite", masks.TESTED_FOR_INFINITY, (np.inf, 3.0), (0.0, 0.0)),
    Promise("a product that is used when a number", masks.TESTED_FOR_NAN, (np.nan, 3.0), (0.0, 0.0)),
    Promise("the root of a product with zero", masks.SCALED_BEFORE_A_ROOT, (2.0, 0.0), (0.0, np.inf)),
    Promise("a product with infinity that is not chosen", masks.SCALED_NOT_CHOSEN, (0.0, 3.0), (0.0, 0.0)),
    Promise("a root times a written zero", masks.ZERO_TIMES_A_ROOT, (0.0, 3.0), (0.0, 1.0)),
    Promise("a root whose product happens to be zero", masks.TWICE_A_ROOT, (0.0, 0.0), (np.nan, 0.0)),
    Promise("a root that an arm not taken would return", masks.ROOT_FOR_AN_ARM, (0.0, 1.0), (0.0, 0.0)),
    Promise("a root that an arm not taken would use", masks.ROOT_IN_AN_ARM, (0.0, 1.0), (0.0, 1.0)),
    Promise("a root that a loop would use", masks.ROOT_FOR_A_LOOP, (0.0, 1.0), (0.0, 0.0)),
    Promise("one of several roots", masks.ELEMENT_OF_ROOTS, (0.0, 4.0), (0.0, 0.25)),
    Promise("a part of several roots", masks.PART_OF_ROOTS, (0.0, 4.0, 16.0), (0.0, 0.25, 0.125)),
    Promise("the first of several roots", masks.FIRST_OF_ROOTS, (4.0, 0.0), (0.25, 0.0)),
    Promise("roots on the diagonal", masks.DIAGONAL_OF_ROOTS, (4.0, 0.0, 0.0, 16.0), (0.25, 0.0, 0.0, 0.125)),
    Promise("a root for nothing", masks.ROOT_FOR_A_LOOP.replace("for k", "for 0"), (0.0, 1.0), (0.0, 0.0)),
    Promise("a root several times", masks.SOME_OF_ROOTS, (0.0, 4.0), (0.0, 0.5)),
    Promise("the largest root by a branch", masks.BRANCHING_MAXIMUM, (0.0, 4.0), (0.0, 0.25)),
    *(Level(f"what is level and what is steep: {what}", *given) for what, given in roots.LEVELS.items()),
    Promise("the root of a square at zero", roots.ROOT_OF_A_SQUARE, (0.0,), (0.0,)),
    Promise("the root of a square elsewhere", roots.ROOT_OF_A_SQUARE, (-3.0,), (-1.0,)),
    Promise("the root of a product of zeros", roots.ROOT_OF_A_PRODUCT, (0.0, 0.0), (0.0, 0.0)),
    Promise("the root of a product with one zero", roots.ROOT_OF_A_PRODUCT, (0.0, 4.0), (np.inf, 0.0)),
    Law("the power of one at zero", roots.TO_THE_FIRST, (0.0, 0.7), order=2),
    Dense("scalars that act through one value", sums.MERGED, (*map(float, EIGHT), 0.7, -0.4, 1.1, 0.8, 1.3)),
    Dense("scalars that do not merge", sums.NOT_MERGED, (0.7, 1.9, -0.4, 1.1)),
    Dense("sums in two directions", sums.SUMS, (0.6, 0.9)),
    *(
        Dense(f"no sums in two directions: {why}", text, (0.6, 0.9, 3)[: 3 if "n: i64" in text else 2])
        for why, text in sums.NO_SUMS.items()
    ),
    Law("sums of rows at other places", sums.ROWS_AT_OTHER_PLACES, (MATRIX.T,)),
    Law("extrema of rows", sums.EXTREMA_OF_ROWS, (MATRIX.T, VECTOR)),
    *(
        Law(f"arrays that are exchanged {where}, {c}", text, (VECTOR, EIGHT[3:6], c))
        for where, text in EXCHANGED.items()
        for c in (True, False)
    ),
    Law("arms that write to different places", PLACES_OF_ARMS, (SQUARE, 0.8)),
    Law("loops in maps", IN_A_MAP, (VECTOR, 0.8)),
    *(Cheap(f"the cost of {what}", text, costs.arguments(text), most) for (what, most), text in costs.PROGRAMS.items()),
    *(Steps(f"what a loop runs again: {name}", *what) for name, what in STEPS.items()),
    *(Law(f"the largest of {kind}", extremes.alone(kind), (EIGHT[:4], VECTOR, -9.0)) for kind in extremes.SIZES),
    *(
        Law(f"the largest of none: {kind}", extremes.alone(kind), (EIGHT[:0], VECTOR, 0.7))
        for kind in ("many", "many, dear")
    ),
    *(
        Law(
            f"smallest of {kind}", extremes.in_a_map(kind), (VECTOR, EIGHT[: 4 if "few" in kind else 8], VECTOR, VECTOR)
        )
        for kind in ("few", "few, dear", "many, dear")
    ),
    *(
        Promise(f"two of {kind} tie", extremes.tied(kind), (3.0, 1.0, 3.0, 2.0), (3.0, 0, 3.0, 0))
        for kind in extremes.SIZES
    ),
    Law("a loop that runs", NEVER_RUN, (VECTOR,)),
    Law("a loop that never runs", NEVER_RUN, (np.zeros(0),)),
    *(Law(f"a loop that overwrites what it read {where}", text, (EIGHT,)) for where, text in OVERWRITING.items()),
)
