"""Printing programs; the grammar is in `text`.

The text is the key under which compiled code is cached, so printing is kept fast: one pass that
appends lines to a list.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from ..errors import IRError
from .core import Apply, Block, Check, Custom, For, Function, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from .types import F32, F64, I32, Atom, DType, Type, Var
from .walk import lambdas


def print_function(function: Function, *, positions: bool = False) -> str:
    """The program as text; with `positions`, each statement ends with its `@line:column`."""
    printer = _Printer(positions)
    donated = ", ".join(f"{param}->{result}" for param, result in function.donated)
    head = f"def {function.name}({_vars(function.params)}) " + (f"donates {donated} " if donated else "")
    tail = printer.block(head, function.body, "")
    printer.lines.append(tail)
    return "\n".join(printer.lines) + "\n"


def print_statement(stm: Stm) -> str:
    """One statement as text, sub-blocks included."""
    printer = _Printer(positions=False)
    printer.statement(stm, "")
    return "\n".join(printer.lines)


class _Printer:
    """Collects lines. A method that prints a block returns the unfinished line after it."""

    def __init__(self, positions: bool) -> None:
        self.lines: list[str] = []
        self.positions = positions

    def block(self, head: str, block: Block, indent: str) -> str:
        """Print `head { ... }`; the closing brace starts the line that is returned."""
        self.lines.append(head + "{")
        inner = indent + "  "
        for stm in block.stms:
            self.statement(stm, inner)
        self.lines.append(f"{inner}return{_atoms(block.results)}")
        return indent + "}"

    def lambdas(self, head: str, lambdas: Sequence[Lambda], indent: str) -> str:
        for lam in lambdas:
            head = self.block(f"{head} ({_vars(lam.params)}) ", lam.body, indent)
        return head

    def statement(self, stm: Stm, indent: str) -> None:
        last = self.expression(stm, indent)
        if self.positions and stm.pos is not None:
            last += f" @{stm.pos.line}:{stm.pos.col}"
        self.lines.append(last)

    def expression(self, stm: Stm, indent: str) -> str:
        """Print all but the last line of a statement, and return that."""
        head = f"{indent}{_vars(stm.vars)} = "
        match stm.expr:
            case Apply(op, args, attrs):
                shown = f"[{', '.join(map(_attribute, attrs))}]" if attrs else ""
                return f"{head}{op}{shown}{_atoms(args)}"
            case Check(kind, args, info):
                return f"{indent}check {kind}{_atoms(args)}" + (f" {json.dumps(info)}" if info else "")
            case If(cond, then, orelse):
                middle = self.block(f"{head}if {_atom(cond)} ", then, indent)
                return self.block(f"{middle} else ", orelse, indent)
            case For(count, init, body):
                return self.lambdas(f"{head}for {_atom(count)} {_list(init)}", (body,), indent)
            case While(init, cond, body):
                return self.lambdas(f"{head}while {_list(init)}", (cond, body), indent)
            case Map(size, body):
                return self.lambdas(f"{head}map {_atom(size)}", (body,), indent)
            case Reduce(size, op, neutral, body):
                return self.lambdas(f"{head}reduce {_atom(size)} {_list(neutral)}", (op, body), indent)
            case Scan(size, op, neutral, body):
                return self.lambdas(f"{head}scan {_atom(size)} {_list(neutral)}", (op, body), indent)
            case Hist(size, op, neutral, dest, keys, body):
                operands = f"hist {keys} {_atom(size)} {_list(neutral)} {_list(dest)}"
                return self.lambdas(head + operands, (op, body), indent)
            case Scatter(size, dest, keys, body):
                return self.lambdas(f"{head}scatter {keys} {_atom(size)} {_atom(dest)}", (body,), indent)
            case Custom(args) as expr:
                return self.lambdas(f"{head}custom {_list(args)}", lambdas(expr), indent)


def _vars(vars: Sequence[Var]) -> str:
    return ", ".join([f"{var.name}: {_type(var.type)}" for var in vars])


def _type(type: Type) -> str:
    if not type.shape:
        return type.dtype.value
    return f"{type.dtype.value}[{', '.join(map(_atom, type.shape))}]"


def _list(atoms: Sequence[Atom]) -> str:
    return f"[{' '.join(map(_atom, atoms))}]"


def _atoms(atoms: Sequence[Atom]) -> str:
    return "".join([" " + _atom(atom) for atom in atoms])


def _atom(atom: Atom) -> str:
    if isinstance(atom, Var):
        return atom.name
    if atom.dtype is F64 or atom.dtype is F32:
        value = float(atom.value)
        sign = "+" if math.isnan(value) or value == math.inf else ""
        return f"{sign}{value!r}" + ("f32" if atom.dtype is F32 else "")
    return f"{atom.value}i32" if atom.dtype is I32 else str(atom.value)


def _attribute(value: object) -> str:
    if isinstance(value, DType):
        return value.value
    if isinstance(value, int | str):
        return str(value)
    raise IRError(f"an attribute is an integer, a word or a scalar type, not {value!r}")
