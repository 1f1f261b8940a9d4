"""The language: frozen nodes in A-normal form.

    function  ::= name params block
    block     ::= statement* results            results are atoms
    statement ::= vars = expression @ position
    lambda    ::= params . block

    expression ::= Apply    a scalar or array operation of the table (`ops/`): operands are atoms
                 | If       both arms return the same number of results
                 | For      a trip count, carried values; the body sees the counter 0, 1, ..., count-1
                 | While    carried values; goes on while the condition holds
                 | Map      size n: stacks body(0) ... body(n-1)
                 | Reduce   neutral (+) body(0) (+) ... (+) body(n-1), for an associative (+)
                 | Scan     the inclusive prefixes of that
                 | Hist     dest[key] (+)= value for each i; keys out of range are ignored
                 | Scatter  dest[key]   =  value for each i in order; keys out of range are ignored
                 | Custom   body(args), whose derivative is given by rules of the user's, or found by running it again
                 | Check    a run-time condition; binds nothing, raises the user's exception when it fails

Every value is immutable: `update` yields a new array (done in place when the old one dies).
Lambdas may mention free variables of the enclosing scopes; they are never values themselves.
A type may mention variables: a statement that binds an array whose size is known only at run
time binds that size too, before the array, in the same statement (`m, a: f64[m] = if ...`).
"""

from __future__ import annotations

from typing import TypeAlias

from ..records import dataclass, field
from .types import Atom, Type, Var


@dataclass(frozen=True, slots=True)
class Pos:
    """A place in the user's source: one-based line, zero-based columns, as in Python's `ast`.

    `returning` marks what the return sweep of a derivative does there; `memory` is what the function that is executed
    there says its loops are to keep for that (`@tp.reversible`).
    """

    file: str
    line: int
    col: int
    end_line: int
    end_col: int
    returning: bool = False
    memory: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    stms: tuple[Stm, ...]
    results: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    params: tuple[Var, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the table by name; `attrs` are its compile-time parameters."""

    op: str
    args: tuple[Atom, ...]
    attrs: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    cond: Atom
    then: Block
    orelse: Block


@dataclass(frozen=True, slots=True)
class For:
    """`body` takes the counter (i64) and the carried values, returns the carried values."""

    count: Atom
    init: tuple[Atom, ...]
    body: Lambda


@dataclass(frozen=True, slots=True)
class While:
    """`cond` and `body` take the carried values; `cond` returns one bool."""

    init: tuple[Atom, ...]
    cond: Lambda
    body: Lambda


@dataclass(frozen=True, slots=True)
class Map:
    """`body` takes the index i (i64), returns values whose shapes do not depend on i."""

    size: Atom
    body: Lambda


@dataclass(frozen=True, slots=True)
class Reduce:
    """`op` takes k accumulators then k values, returns k; `body` takes i, returns k values."""

    size: Atom
    op: Lambda
    neutral: tuple[Atom, ...]
    body: Lambda


@dataclass(frozen=True, slots=True)
class Scan:
    """As `Reduce`; binds k arrays of the inclusive prefixes."""

    size: Atom
    op: Lambda
    neutral: tuple[Atom, ...]
    body: Lambda


@dataclass(frozen=True, slots=True)
class Hist:
    """`body` takes i, returns `keys` indices then one value per destination.

    Values have the type of `dest` with `keys` leading dimensions dropped; `op` combines the
    elements (k accumulators, k values), and k is the number of destinations. `neutral` and `op`
    are over scalars: where the values are arrays, elements are combined one by one, and all
    destinations have the same shape.
    """

    size: Atom
    op: Lambda
    neutral: tuple[Atom, ...]
    dest: tuple[Atom, ...]
    keys: int
    body: Lambda


@dataclass(frozen=True, slots=True)
class Scatter:
    """`body` takes i, returns `keys` indices then the value. A later i overwrites an earlier one."""

    size: Atom
    dest: Atom
    keys: int
    body: Lambda


@dataclass(frozen=True, slots=True)
class Custom:
    """`body` applied to `args`; where it is differentiated, the rules stand in for it. Afterwards it is inlined.

    Without `backward` the rule is `forward`: from the arguments and a tangent for each float among them to the results
    and a tangent for each float among those. With it, `forward` goes from the arguments to the results and what
    `backward` needs besides an adjoint for each float result to answer an adjoint for each float argument.

    Without either it is a mark: the body is differentiated as it is, but reverse mode keeps nothing of it, and runs it
    again. Then there are no arguments: the body mentions what it reads. One without results is never executed: it says
    what is `told` (`CHECKS`).
    """

    args: tuple[Atom, ...]
    body: Lambda
    forward: Lambda | None = None
    backward: Lambda | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Condition `kind` over `args` (see `CHECKS`): what the user's Python would have raised.

    `info` refines the message; for `raise` it is the user's own `ExceptionName: message`.
    """

    kind: str
    args: tuple[Atom, ...]
    info: str = ""


# kind -> (the exception that plain Python and NumPy raise, the condition that must hold)
CHECKS: dict[str, tuple[str, str]] = {
    "bounds": ("IndexError", "0 <= args[0] < args[1]"),
    "nonzero": ("ZeroDivisionError", "args[0] != 0"),
    "equal": ("ValueError", "args[0] == args[1], two sizes that must agree"),
    "nonneg": ("ValueError", "args[0] >= 0, a size"),
    "nonempty": ("ValueError", "args[0] > 0, the size of what is reduced by min or max"),
    "domain": ("ValueError", "args[0] holds, else a math domain error"),
    "singular": ("LinAlgError", "args[0] holds, else the matrix is singular"),
    "assert": ("AssertionError", "args[0] holds"),
    "raise": ("Exception", "args[0] holds, else the exception that `info` names"),
    "unbound": ("UnboundLocalError", "args[0] holds: the variable that `info` names was assigned"),
    "overflow": ("OverflowError", "args[0] holds, else a number is too large"),
    "not_nan": ("FloatingPointError", "args[0] is not NaN; only under check='nan'"),
    "told": ("AssertionError", "args[0] is args[1]: an author says so, for inverses; it is not checked"),
}

Expr: TypeAlias = Apply | If | For | While | Map | Reduce | Scan | Hist | Scatter | Custom | Check


@dataclass(frozen=True, slots=True)
class Stm:
    """`vars = expr`. Positions do not take part in equality."""

    vars: tuple[Var, ...]
    expr: Expr
    pos: Pos | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A whole program.

    The size variables in the types of `params` are bound by the call, from the arguments' shapes.
    `donated` holds the positions of parameters whose memory the function may overwrite, each with the result that takes
    it over: `(param, result)` means that the caller's array holds that result afterwards.
    """

    name: str
    params: tuple[Var, ...]
    body: Block
    donated: tuple[tuple[int, int], ...] = ()

    @property
    def sizes(self) -> tuple[Var, ...]:
        """The size variables of the parameters, in order of first mention."""
        found: dict[Var, None] = {}
        for param in self.params:
            for size in param.type.shape:
                if isinstance(size, Var):
                    found[size] = None
        return tuple(found)

    @property
    def result_types(self) -> tuple[Type, ...]:
        return tuple(atom.type for atom in self.body.results)
