"""Calls: known library functions, methods, classes, and the user's functions, which are inlined."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NoReturn

from ..errors import CallError, NotStaticError, RecursionRefusedError, TypeConflictError, UnsupportedFunctionError
from ..records import dataclass
from ..regions import release
from . import registry, special_methods
from .again import Again, call_again
from .captured import scope_of
from .comprehensions import comprehend
from .context import Context, describe, expression
from .custom import Ruled, call_ruled
from .derived import Derivation, LinearMap, call_derived
from .expressions import closure, elements
from .fence import first_yield, refuse_known_call, refuse_node
from .frame import BROKEN, CONTINUED, RESULT, RETURNED, End, Frame
from .generators import as_function, consumes_generators
from .inverse import Inversion, call_inverse, kept_by
from .keeping import Keeping, Undoing, call_keeping, call_undoing
from .liveness import Liveness, analyse, bound_names
from .objects import construct, find_method, set_attribute
from .pairs import Pair, call_pair
from .registry import Implementation
from .source import source_of
from .statements import has_left, run_block
from .suggest import suggestion
from .values import Clash, Closure, DictRef, Method, ObjectRef, Partial, Undefined, Value

# How deep and how often functions may call themselves: recursion as deep as run-time values say never ends here.
RECURSION_DEPTH = 24
RECURSIONS = 2000


@expression(ast.Call)
def call_expression(c: Context, node: ast.Call) -> Value:
    function = c.eval(node.func)
    if consumes_generators(function) and isinstance(node.args[0] if node.args else None, ast.GeneratorExp):
        return _consume(c, function, node)
    args = elements(c, node.args)
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = c.eval(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, DictRef):
            kwargs.update(c.held(value))
        else:
            c.refuse(f"** needs a dict, not {describe(value)}", error=CallError)
    result = call(c, function, args, kwargs)
    if function is release and node.args and isinstance(node.args[0], ast.Name):
        c.frame.names[node.args[0].id] = Undefined()
    return result


def _consume(c: Context, function: Value, node: ast.Call) -> Value:
    """`sum(... for ...)` and the like: element by element where their number is known now, else a loop."""
    generator, *rest = node.args
    assert isinstance(generator, ast.GeneratorExp)
    point = c.mark()
    try:
        items = comprehend(c, generator.generators, generator.elt)
        return call(c, function, (items, *elements(c, rest)), {k.arg or "": c.eval(k.value) for k in node.keywords})
    except NotStaticError:
        c.go_back(point)
    loop = closure(c, as_function(function, generator), getattr(function, "__name__", "sum"))
    return inline(c, loop, elements(c, rest), {})


def call(c: Context, function: Value, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """Call any function value."""
    match function:
        case Closure():
            return inline(c, function, tuple(args), kwargs)
        case Partial(inner, first, named):
            return call(c, inner, (*first, *args), {**named, **kwargs})
        case functools.partial():
            return call(c, function.func, (*function.args, *args), {**function.keywords, **kwargs})
        case Method(receiver, name):
            found = find_method(receiver, name) or registry.find_method(name)
            assert found is not None
            return _apply(c, found, (receiver, *args), kwargs, name)
        case Derivation() | LinearMap():
            return call_derived(c, function, args, kwargs)
        case Ruled():
            return call_ruled(c, function, args, kwargs)
        case Again():
            return call_again(c, function, args, kwargs)
        case Inversion():
            return call_inverse(c, function, args, kwargs)
        case Keeping():
            return call_keeping(c, function, args, kwargs)
        case Undoing():
            return call_undoing(c, function, args, kwargs)
        case Pair():
            return call_pair(c, function, args, kwargs)
        case _:
            return _call_object(c, function, tuple(args), kwargs)


def _call_object(c: Context, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Call a Python object from outside: a library function, a class, or a function with source."""
    implementation = registry.find(function)
    if implementation is not None:
        return _apply(c, implementation, args, kwargs, _name(function))
    if hasattr(function, "__derivation__"):
        return call(c, function.__derivation__, args, kwargs)
    ours = registry.replacement(function)
    if ours is not None:
        return inline(c, closure_of(c, ours, internal=True), args, kwargs)
    if function is object.__setattr__:
        return set_attribute(c, *args)
    refuse_known_call(c, function)
    if isinstance(function, type):
        return _construct(c, function, args, kwargs)
    if isinstance(function, MethodType) and isinstance(function.__self__, type):
        return call(c, function.__func__, (function.__self__, *args), kwargs)
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        c.refuse(
            f"the method {_name(function)} belongs to an object that is not in the language",
            error=UnsupportedFunctionError,
            fix="use a plain function and pass it what it needs",
        )
    plain = _unwrapped(function)
    if isinstance(plain, FunctionType) and not _is_library(plain):
        with kept_by(c, function):
            return inline(c, closure_of(c, plain), args, kwargs)
    if (method := special_methods.find(function, "__call__")) is not None:
        return call(c, method, (function, *args), kwargs)
    if not callable(function) or isinstance(function, ObjectRef):
        c.refuse(f"{describe(function)} cannot be called", error=CallError)
    _refuse_unknown(c, function)


def _unwrapped(function: Any) -> Any:
    """The plain function inside a jitted one or another well-behaved wrapper."""
    while not isinstance(function, FunctionType) and hasattr(function, "__wrapped__") and not _is_library(function):
        function = function.__wrapped__
    return function


def _is_library(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    top = module.split(".")[0]
    return top in ("numpy", "scipy", "math", "builtins", "itertools", "jax", "torch") or (
        top == "tapeless" and not isinstance(function, FunctionType) and not hasattr(function, "__wrapped__")
    )


def _construct(c: Context, cls: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    if dataclasses.is_dataclass(cls):
        return construct(c, cls, args, kwargs)
    if hasattr(cls, "_make"):
        try:
            return cls(*args, **kwargs)
        except TypeError as error:
            c.refuse(str(error), error=CallError)
    c.refuse(
        f"instances of the class {cls.__name__} cannot be made in compiled code",
        error=UnsupportedFunctionError,
        fix="use a dataclass, a named tuple, a dict or separate variables",
    )


def _apply(
    c: Context, implementation: Implementation, args: tuple[Value, ...], kwargs: dict[str, Value], name: str
) -> Value:
    """Call an implementation; arguments that it does not know are the user's mistake, not ours."""
    try:
        _signature(implementation).bind(c, *args, **kwargs)
    except TypeError as error:
        known = list(_signature(implementation).parameters)[1:]
        strange = next((k for k in kwargs if k not in known), None)
        c.refuse(
            f"{name}: {error}{suggestion(strange, known) if strange else ''}",
            error=CallError,
            why="only the parameters in the language reference are known to the compiler",
        )
    return implementation(c, *args, **kwargs)


@functools.cache
def _signature(implementation: Implementation) -> inspect.Signature:
    return inspect.signature(implementation)


def _refuse_unknown(c: Context, function: Any) -> NoReturn:
    name = _name(function)
    module = getattr(function, "__module__", None) or ""
    near = suggestion(name, [_name(obj) for obj in registry.objects()])
    prefix = f"{module}." if module and module != "builtins" else ""
    c.refuse(
        f"{prefix}{name} is not known to the compiler{near}",
        error=UnsupportedFunctionError,
        why="only functions with source text and the library functions of the language reference can be compiled",
        fix="call it outside and pass the result in"
        if isinstance(function, BuiltinFunctionType | FunctionType)
        else "",
    )


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


# -- inlining -------------------------------------------------------------------------------------


def closure_of(c: Context, function: FunctionType, *, internal: bool = False) -> Closure:
    """A function object as a value. Its free names are read when the compiled code is called."""
    source = source_of(function)
    internal = internal or (function.__module__ or "").startswith("tapeless.front.prelude")
    return Closure(
        source.node,
        function.__name__,
        source.file,
        scope_of(c, function, internal=internal),
        tuple(function.__defaults__ or ()),
        dict(function.__kwdefaults__ or {}),
        internal,
    )


def inline(c: Context, function: Closure, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """The value of a call, its body executed here."""
    _refuse_recursion(c, function)
    body = _body(function.node)
    if body.generator is not None:
        c.b.pos = c.position_in(function, body.generator)
        refuse_node(c, body.generator)
    names = bind(c, function, args, kwargs)
    frame = Frame(function, body.live, body.locals | names.keys(), names)
    names.update({RETURNED: False, BROKEN: False, CONTINUED: False})
    position, end = c.b.pos, c.end
    c.frames.append(frame)
    builder = c.b
    try:
        run_block(c, body.stmts)
        return _result(c, frame)
    finally:
        if c.frames[-1] is frame:
            c.frames.pop()
        builder.pos = position
        c.end = end


def _result(c: Context, frame: Frame) -> Value:
    left = has_left(c)
    value = frame.names.get(RESULT)
    if c.end is End.LEFT or left is True:
        returned = value
    elif left is False or value is None:
        returned = None
    else:
        c.refuse(
            f"{frame.function.name} returns a value on some paths and None on others",
            error=TypeConflictError,
            fix="return a value at the end of the function too",
        )
    if isinstance(returned, Clash):
        sizes = "size" in returned.reason
        c.refuse(
            f"the results of {frame.function.name} do not fit together: {returned.reason}",
            error=TypeConflictError,
            why="the size of a result must be known where it is returned" if sizes else "a function has one type",
            fix="leave the loop with `break` and make the array behind it" if sizes else "return one kind of value",
        )
    return returned


@dataclass(frozen=True, slots=True)
class Body:
    """What inlining needs to know of a function's syntax, found once."""

    stmts: tuple[ast.stmt, ...]
    live: Liveness
    locals: frozenset[str]
    generator: ast.AST | None


# Syntax trees are kept by `source`, so their identity is stable.
_bodies: dict[ast.AST, Body] = {}


def _body(node: ast.FunctionDef | ast.Lambda) -> Body:
    if node not in _bodies:
        returned = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
        _bodies[node] = Body(tuple(returned), analyse(returned), bound_names(returned), first_yield(returned))
    return _bodies[node]


def _refuse_recursion(c: Context, function: Closure) -> None:
    """Calls are inlined, which ends where the arguments that decide about further calls are known while compiling."""
    depth = sum(frame.function.node is function.node for frame in c.frames)
    if not depth:
        return
    c.recursions += 1
    if depth > RECURSION_DEPTH or c.recursions > RECURSIONS:
        c.refuse(
            f"{function.name} calls itself, too deep or too often",
            error=RecursionRefusedError,
            why=f"calls are inlined: at most {RECURSION_DEPTH} deep, by arguments that are known while compiling",
            fix="use a loop, with an array as a stack if needed, or pass literals: power(x, 3)",
        )


def bind(c: Context, function: Closure, args: tuple[Value, ...], kwargs: dict[str, Value]) -> dict[str, Value]:
    """Arguments to parameters, by Python's rules."""
    spec = function.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    named = dict(kwargs)
    bound: dict[str, Value] = dict(zip(positional, args, strict=False))
    if spec.vararg:
        bound[spec.vararg.arg] = args[len(positional) :]
    elif len(args) > len(positional):
        c.refuse(f"{function.name}() takes {len(positional)} arguments, but {len(args)} were given", error=CallError)
    only_positional = {a.arg for a in spec.posonlyargs}
    for name in [*positional, *(a.arg for a in spec.kwonlyargs)]:
        if name in named and name not in only_positional:
            if name in bound:
                c.refuse(f"{function.name}() got two values for {name!r}", error=CallError)
            bound[name] = named.pop(name)
    first_default = len(positional) - len(function.defaults)
    for name, default in (
        *zip(positional[first_default:], function.defaults, strict=True),
        *function.kw_defaults.items(),
    ):
        bound.setdefault(name, default)
    if spec.kwarg:
        bound[spec.kwarg.arg] = c.new_object(DictRef(), named)
    elif named:
        strange = next(iter(named))
        c.refuse(f"{function.name}() has no parameter {strange!r}{suggestion(strange, positional)}", error=CallError)
    missing = [n for n in (*positional, *(a.arg for a in spec.kwonlyargs)) if n not in bound]
    if missing:
        c.refuse(f"{function.name}() needs a value for {missing[0]!r}", error=CallError)
    return bound
