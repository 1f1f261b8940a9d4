"""Straight-line code with fewer operations: every value is computed in the cheapest way from others that are there.

Values are compared by fingerprints, up to their sign. All pairs are tried: where the sum, difference or product of two
values is a third one, that is another way to compute it. Of the ways, those are taken that need the fewest operations
in all (`extract`). So the derivative of x = r cos(a) by a is found to be -y, whoever made it.

A way is only taken if it rounds no worse: products may stand for anything, sums only for sums of operands that are as
large. It must depend on the same inputs, and on the same quotients, roots and other functions that may be infinite, so
that what is not a number stays so, and nothing else becomes so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Function, Pos, Stm
from ..ir.op import lookup
from ..ir.types import F64, Atom, Lit, Type, Var
from ..ir.walk import free_vars
from ..passes import simplify
from ..passes.notes import Notes
from ..records import dataclass, field
from . import fingerprints as fp
from .extract import Way, cheapest
from .gate import same_values
from .inventions import Use, inventions
from .relations import related, samples
from .rules import fired

SUBJECT = "operations"
FEWEST, MOST = 24, 900  # statements of a run
MANY = 80  # statements among which common factors are looked for in any case
ROUNDS = 6
LESS = 0.97  # for less the code stays as it is
# A value: a class of values that are equal up to sign, and the sign.
Value = tuple[int, int]


def shortened(block: Block, notes: Notes, *, is_primal: bool = False) -> Block:
    """A block of a derivative with fewer operations between its loops and branches.

    One that is yet to be differentiated stays as it is if it has roots: their slopes at 0 are told from the squares
    that are written under them.
    """
    plain = [stm.expr.op for stm in block.stms if _is_plain(stm) and isinstance(stm.expr, Apply)]
    if len(plain) < FEWEST or (is_primal and not _ROOTS.isdisjoint(plain)):
        return block
    free = free_vars(block)
    sizes = {size for var in free for size in var.type.shape}
    params = tuple(var for var in free if var not in sizes)
    simple = simplify.run(Function("block", params, block), Notes()).body
    short = _block(simple, notes)
    return block if short is simple else short


def run(function: Function, notes: Notes) -> Function:
    """The same function with fewer operations between its loops and branches."""
    body = _block(function.body, notes)
    return function if body is function.body else Function(function.name, function.params, body, function.donated)


def _block(block: Block, notes: Notes) -> Block:
    made: list[Stm] = []
    for stms in _runs(block):
        is_run = _is_plain(stms[0]) and FEWEST <= len(stms) <= MOST
        made += (_shorter(stms, block, notes) if is_run else None) or stms
    same = len(made) == len(block.stms)
    return block if same else Block(tuple(made), block.results)


def _runs(block: Block) -> list[list[Stm]]:
    """The statements of a block, those of plain operations together that follow one another."""
    found: list[list[Stm]] = []
    for stm in block.stms:
        if found and _is_plain(stm) == _is_plain(found[-1][0]):
            found[-1].append(stm)
        else:
            found.append([stm])
    return found


def _is_plain(stm: Stm) -> bool:
    """An operation on floats that gives one."""
    if not isinstance(stm.expr, Apply) or stm.vars[0].type != _FLOAT:
        return False
    return all(arg.type == _FLOAT for arg in stm.expr.args) and stm.expr.op != "stop_gradient"


_FLOAT = Type(F64)
# Finite wherever their operands are. What others give may be infinite at a point: it stands for nothing that does not
# depend on it as well.
_ENTIRE = frozenset({"add", "sub", "mul", "neg", "sin", "cos"})
_ROOTS = frozenset({"sqrt", "cbrt", "pow", "asin", "acos", "acosh", "hypot"})


# -- one run ----------------------------------------------------------------------------------------


def _shorter(stms: Sequence[Stm], block: Block, notes: Notes) -> Sequence[Stm] | None:
    """Statements that compute the same with fewer operations; None where there are none."""
    outputs = _read_elsewhere(stms, block)
    new = stms
    for _ in range(ROUNDS):
        again = _round(new, outputs)
        if len(again) > (LESS * len(new) if new is stms else len(new) - 1):
            break
        new = again
    if new is stms or not same_values(stms, new, outputs):
        return None
    fired["fingerprint"] += 1
    notes.add(stms[0].pos, SUBJECT, f"{len(stms)} became {len(new)}", "by fingerprint: values are made of other values")
    return new


def _round(stms: Sequence[Stm], outputs: Sequence[Var]) -> Sequence[Stm]:
    table = Table(stms)
    table.relate()
    if not table.has_choice():
        return stms
    needed = dict.fromkeys(table.of[var.name][0] for var in outputs)
    return table.emit(cheapest(table.ways, table.places, tuple(needed)), outputs, stms[0].pos)


def _read_elsewhere(stms: Sequence[Stm], block: Block) -> list[Var]:
    inside = set(map(id, stms))
    names = {var.name for stm in block.stms if id(stm) not in inside for var in free_vars(stm.expr)}
    names |= {result.name for result in block.results if isinstance(result, Var)}
    return [stm.vars[0] for stm in stms if stm.vars[0].name in names]


@dataclass(slots=True)
class Table:
    """The classes of the values of a run: fingerprint, place of the first statement (-1 outside), inputs, ways."""

    stms: Sequence[Stm]
    of: dict[str | Lit, Value] = field(default_factory=dict[str | Lit, Value])
    prints: list[fp.Print] = field(default_factory=list[fp.Print])
    places: list[float] = field(default_factory=list[float])
    inputs: list[int] = field(default_factory=list[int])
    ways: list[list[Way]] = field(default_factory=list[list[Way]])
    given: dict[int, tuple[Atom, int]] = field(default_factory=dict[int, tuple[Atom, int]])
    _known: dict[fp.Print, int] = field(default_factory=dict[fp.Print, int])
    _bits: int = 0

    def __post_init__(self) -> None:
        for place, stm in enumerate(self.stms):
            assert isinstance(stm.expr, Apply)
            args = [self._atom(arg) for arg in stm.expr.args]
            print_ = fp.apply(stm.expr.op, stm.expr.attrs, [self._print(arg) for arg in args])
            inputs = 0
            for k, _ in args:
                inputs |= self.inputs[k]
            if stm.expr.op not in _ENTIRE:
                inputs |= self._bit()
            fresh = len(self.prints)
            k, sign = self.of[stm.vars[0].name] = self._class(print_, place, inputs)
            if k == fresh:
                self.ways[k].append(_own(stm.expr, args, sign))

    def relate(self) -> None:
        """Find the sums and products of values that are values themselves."""
        sizes = samples(self.stms, self.of, len(self.prints))
        for k, way in related(self.prints, self.places, self.inputs, self.ways, sizes):
            self.ways[k].append(way)
        if not self.has_choice() and len(self.stms) < MANY:
            return
        for new in inventions(self.prints, self.places, self.inputs, self.ways, sizes):
            k, _ = self._class(new.print_, new.place, new.inputs)
            self.ways[k] += new.ways
            for use in new.uses:
                self.ways[use.target].append(Way(use.op, (use.other, k), *_use_signs(use)))

    def has_choice(self) -> bool:
        """Can a value be computed in two ways, or two statements be one?"""
        computed = sum(place > -1 for place in self.places)
        return computed < len(self.stms) or any(len(ways) > 1 for ways in self.ways)

    def emit(self, chosen: dict[int, Way], outputs: Sequence[Var], pos: Pos | None) -> list[Stm]:
        """The statements of the chosen ways, in order; outputs keep their names."""
        b, made = Builder(pos), dict(self.given)
        for k in sorted(chosen, key=lambda k: self.places[k]):
            made[k] = _emitted(b, chosen[k], made, self.stms[int(self.places[k])])
        names = {atom.name: var for var in outputs if (atom := self._bearer(var, made, chosen)) is not None}
        stms = [_named(stm, names) for stm in b.stms]
        for var in outputs:
            k, sign = self.of[var.name]
            atom, has = made[k]
            atom = names.get(atom.name, atom) if isinstance(atom, Var) else atom
            if atom is not var:
                # Adding -0.0 is a copy, which later passes take out.
                copy = Apply("neg", (atom,)) if has != sign else Apply("add", (atom, Lit(-0.0, F64)))
                stms.append(Stm((var,), copy, pos))
        return stms

    def _bearer(self, var: Var, made: Mapping[int, tuple[Atom, int]], chosen: Mapping[int, Way]) -> Var | None:
        """The new variable that may have the name of an output: it is that value, and computed here."""
        k, sign = self.of[var.name]
        atom, has = made[k]
        return atom if k in chosen and has == sign and isinstance(atom, Var) else None

    def _atom(self, atom: Atom) -> Value:
        key = atom if isinstance(atom, Lit) else atom.name
        if key not in self.of:
            bit = 0 if isinstance(atom, Lit) else self._bit()
            print_ = fp.constant(atom) if isinstance(atom, Lit) else fp.opaque("input", len(self.given))
            self.of[key] = k, sign = self._class(print_, -1, bit)
            self.given.setdefault(k, (atom, sign))
        return self.of[key]

    def _bit(self) -> int:
        self._bits += 1
        return 1 << self._bits

    def _print(self, value: Value) -> fp.Print:
        return self.prints[value[0]] if value[1] > 0 else fp.negated(self.prints[value[0]])

    def _class(self, print_: fp.Print, place: float, inputs: int) -> Value:
        key, sign = fp.unsigned(print_)
        if key not in self._known:
            self._known[key] = len(self.prints)
            self.prints.append(key)
            self.places.append(place)
            self.inputs.append(inputs)
            self.ways.append([])
        return self._known[key], sign


def _use_signs(use: Use) -> tuple[int, int]:
    """The sign of the result and of the second operand: C - A = s V is C = A + s V, C + A = s V is C = -(A - s V)."""
    if use.op == "mul":
        return use.sign, 1
    return (1, use.sign) if use.second > 0 else (-1, -use.sign)


def _own(expr: Apply, args: Sequence[Value], sign: int) -> Way:
    """An operation as it stands. Signs of factors go into the sign of the result."""
    classes, signs = tuple(k for k, _ in args), [s for _, s in args]
    match expr.op:
        case "mul":
            return Way("mul", classes, sign * signs[0] * signs[1])
        case "add" | "sub":
            second = signs[1] if expr.op == "add" else -signs[1]
            return Way("add", classes, sign * signs[0], signs[0] * second)
        case "div":
            return Way("div", classes, sign * signs[0] * signs[1], cost=lookup("div").cost)
        case _:
            return Way("own", classes, sign, signs=tuple(signs), cost=lookup(expr.op).cost)


def _emitted(b: Builder, way: Way, made: dict[int, tuple[Atom, int]], stm: Stm) -> tuple[Atom, int]:
    """The atom of a class computed in a way, and its sign."""
    atoms = [made[k] for k in way.args]
    if way.op in ("mul", "div"):
        (x, left), (y, right) = atoms
        return b.apply(way.op, x, y), way.sign * left * right
    if way.op == "add":
        (x, left), (y, right) = atoms
        right *= way.second
        if left == right:
            return b.apply("add", x, y), way.sign * left
        return (b.apply("sub", x, y), way.sign) if left > 0 else (b.apply("sub", y, x), way.sign)
    assert isinstance(stm.expr, Apply)
    exact = [x if has == wanted else b.apply("neg", x) for (x, has), wanted in zip(atoms, way.signs, strict=True)]
    return b.apply(stm.expr.op, *exact, attrs=stm.expr.attrs), way.sign


def _named(stm: Stm, names: Mapping[str, Var]) -> Stm:
    assert isinstance(stm.expr, Apply)
    args = tuple(names.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in stm.expr.args)
    vars = tuple(names.get(var.name, var) for var in stm.vars)
    return Stm(vars, Apply(stm.expr.op, args, stm.expr.attrs), stm.pos)
