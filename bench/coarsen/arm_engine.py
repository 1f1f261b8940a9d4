"""Ask a symbolic engine for the C code of a kernel: `python -m bench.coarsen.arm_engine ENGINE KERNEL`.

Runs in the environment of the peers. Prints one line of JSON: the code of `kernel(const double *q, double *out)`, which
reads and writes every STRIDE-th number, and the CPU time from the program to that code. Each engine does what its
documentation shows: derivatives of substituted expressions and common sub-expressions (SymPy, SymEngine, wrenfold), or
AD on a graph of scalars (CasADi).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, SimpleNamespace
from typing import Any

from bench.coarsen import arm_program

HEAD = "static __attribute__((always_inline)) inline void kernel(const double *q, double *out)"


def main(engine: str, kernel: str) -> None:
    before = time.process_time()
    code = ENGINES[engine](kernel)
    print(json.dumps({"code": code, "seconds": time.process_time() - before}))


def _program(kernel: str, **library: Any) -> Callable[..., Any]:
    """The function of a kernel, and those that it calls, over another library."""
    names: dict[str, Any] = {"np": SimpleNamespace(**library)}
    for name, value in vars(arm_program).items():
        if isinstance(value, FunctionType):
            names[name] = FunctionType(value.__code__, names)
    return names[arm_program.KERNELS[kernel]]


def _entries(kernel: str, results: Any, q: Sequence[Any], derive: Callable[[Any, Any], Any]) -> list[Any]:
    """The entries of a derivative, row by row, by deriving expressions one after the other."""
    if kernel == "cost gradient":
        return [derive(results, x) for x in q]
    if kernel == "cost Hessian":
        gradient = [derive(results, x) for x in q]
        return [derive(entry, x) for entry in gradient for x in q]
    return [derive(entry, x) for entry in results for x in q]


def _function(lines: Sequence[str]) -> str:
    inputs = [f"const double q{k + 1} = q[{k} * STRIDE];" for k in range(6)]
    body = "\n  ".join([*inputs, *lines])
    return f"{HEAD} {{\n  {body}\n}}\n"


def sympy(kernel: str) -> str:
    import sympy as sp

    q = sp.symbols("q1:7")
    entries = _entries(kernel, _program(kernel, sin=sp.sin, cos=sp.cos)(*q), q, sp.diff)
    shared, rest = sp.cse(entries)
    return _printed(shared, rest, sp.ccode)


def symengine(kernel: str) -> str:
    import symengine as se

    q = se.symbols("q1:7")
    program = _program(kernel, sin=se.sin, cos=se.cos)
    entries = _entries(kernel, program(*q), q, lambda f, x: se.sympify(f).diff(x))
    shared, rest = se.cse(entries)
    return _printed(shared, rest, se.ccode)


def _printed(shared: Any, rest: Any, text: Callable[[Any], str]) -> str:
    lines = [f"const double {name} = {text(value)};" for name, value in shared]
    return _function([*lines, *(f"out[{k} * STRIDE] = {text(value)};" for k, value in enumerate(rest))])


def wrenfold(kernel: str) -> str:
    from wrenfold import code_generation, sym
    from wrenfold.type_annotations import FloatScalar

    def outputs(q1: FloatScalar, q2: FloatScalar, q3: FloatScalar, q4: FloatScalar, q5: FloatScalar, q6: FloatScalar):
        q = (q1, q2, q3, q4, q5, q6)
        program = _program(kernel, sin=sym.sin, cos=sym.cos)
        entries = _entries(kernel, program(*q), q, lambda f, x: f.diff(x) if hasattr(f, "diff") else sym.zero)
        return [code_generation.OutputArg(entry, name=f"o{k}") for k, entry in enumerate(entries)]

    outputs.__annotations__ = {f"q{k}": FloatScalar for k in range(1, 7)}
    code = code_generation.generate_function(outputs, code_generation.CppGenerator())
    body = code[code.index("{") + 1 : code.rindex("}")]
    for cpp, c in (("static_cast<Scalar>", "(double)"), ("Scalar", "double"), ("std::", "")):
        body = body.replace(cpp, c)
    lines = [line.strip() for line in body.splitlines() if line.strip() and not line.strip().startswith("//")]
    return _function([_output(line) for line in lines])


def _output(line: str) -> str:
    """`o3 = ...` as `out[3 * STRIDE] = ...`."""
    left, sign, right = line.partition(" = ")
    return f"out[{left[1:]} * STRIDE]{sign}{right}" if sign and left.startswith("o") and left[1:].isdigit() else line


def casadi(kernel: str) -> str:
    import casadi as ca

    q = ca.SX.sym("q", 6)
    results = _program(kernel, sin=ca.sin, cos=ca.cos)(*(q[k] for k in range(6)))
    match kernel:
        case "cost gradient":
            matrix = ca.gradient(results, q)
        case "cost Hessian":
            matrix = ca.hessian(results, q)[0]
        case _:
            matrix = ca.jacobian(ca.vertcat(*results), q).T  # it writes columns
    function = ca.Function("casadi_kernel", [q], [ca.densify(matrix)])
    with TemporaryDirectory() as folder:
        generator = ca.CodeGenerator("kernel.c")
        generator.add(function)
        path = generator.generate(f"{folder}/")
        code = Path(path).read_text()
    # Into the loop over points: called from outside it could not be put into lanes.
    for old in ("CASADI_SYMBOL_EXPORT int casadi_kernel(", "static int casadi_f0("):
        code = code.replace(old, f"static __attribute__((always_inline)) inline int {old.split('int ')[1]}")
    size = matrix.numel()
    body = f"""
  double inputs[6], outputs[{size}], w[{function.sz_w() + 1}];
  const double *arg[1] = {{inputs}}; double *res[1] = {{outputs}};
  for (int k = 0; k < 6; k++) inputs[k] = q[k * STRIDE];
  casadi_kernel(arg, res, 0, w, 0);
  for (int k = 0; k < {size}; k++) out[k * STRIDE] = outputs[k];
"""
    return f"{code}\n{HEAD} {{{body}}}\n"


ENGINES = {"casadi": casadi, "sympy": sympy, "symengine": symengine, "wrenfold": wrenfold}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
