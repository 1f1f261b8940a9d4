"""Mutants of the derivative rules (`rule_mutants`) that change nothing a law could see, each with the reason.

A mutant is named by its file, the change and the text that is changed. Most of them concern cost, which `counting`
judges, or the words of an explanation.
"""

from __future__ import annotations

from .rule_mutants import Mutant

COST = "chooses between two ways that give the same"
GUARD = "guards more products than need be"
DEAD = "what it makes besides is dead code"
PLAN = "says what is kept, not what is computed; the tests of the planner hold plans to their limits"
PLACE = "keeps an array in place; values are immutable, so the old array would do"
SAME = "both sides agree in what is asked"
NAMES = "names only"
SQUARE = "a symmetric matrix has as many rows as columns"
LOOP = "takes the way of loops and whole values, which gives the same at a higher cost"

EQUIVALENT: dict[str, dict[str, str]] = {
    "accumulated": {
        "update -> accumulate: inner.apply('update', param, body.found.entries[at], counter)": (
            "each place of a stack of zeros is written once"
        ),
        "second operand dropped: sweep.is_varied(array) and (not stm.vars[0].type.shape)": (
            "a `Collapse` differentiates by numbers alone, and refuses a row"
        ),
    },
    "compared": {
        "comparison changed: new < (1.0 - LEAST) * old": "a gain of half a percent to the last bit is as good as none",
    },
    "adjoints": {
        "condition negated: if not isinstance(atom, Var) or not atom.type.shape:": PLACE,
        "second operand dropped: not isinstance(atom, Var) or not atom.type.shape": SAME,
        "first operand dropped: not isinstance(atom, Var) or not atom.type.shape": SAME,
        "first operand dropped: is_literal(self.start, 0) and is_literal(self.step, 1) and (self.size == size)": SAME,
        "statement dropped: self.begin(var) (2)": SAME,
        "second operand dropped: isinstance(atom, Var) and atom.name in self.varied": SAME,
        "first operand dropped: var.name not in self.bound and self.parent.records(var)": COST,
        "second operand dropped: self.parent.records(var) and (not is_small(var.type))": COST,
        "1 -> 2: i64(1) (2)": "a span of one place has no step",
    },
    "again": {
        "statement dropped: restores(scope)": PLACE,
    },
    "branches": {
        "condition negated: if mentions(deposit.value.type, inside):": "such a part is refused below too",
        "condition negated: if not entry.covers(size):": COST,
        "statement dropped: entries.append(entry)": "places that cover their dimension say no more than none",
        "statement dropped: restores(scope)": PLACE,
        "first operand dropped: restores or nothing": PLACE,
        "index off by one: extra[0]": SAME,
        "index off by one: extra[0] (2)": SAME,
    },
    "checkpoints": {
        "lt -> le: b.apply('lt', high, length)": "the longest chain of some repetitions is split alike with one more",
        "0 -> 1: i64(0) (4)": "a chain of two steps has at least one repetition, which sets it",
        "gt -> ge: scope.b.apply('gt', trips, i64(0))": "a loop that does not run fits, and keeps everything",
    },
    "choice": {
        "condition negated: varied if isinstance(varied, set) else set(varied)": "names are copied in vain",
    },
    "colouring": {
        "index off by one: pattern.shape[0]": SQUARE,
        "index off by one: pattern.shape[0] (3)": SQUARE,
        "comparison changed: degrees[w] >= 0": "a neighbour of a vertex that is left has one neighbour at least",
    },
    "direction": {
        "0 -> 1: i64(0)": "both sides of the comparison are one more",
        "1 -> 2: i64(1)": "both sides of the comparison are twice as much",
        "first operand dropped: tall is None and any((size in bound for shape in results for size in shape))": (
            "no input has a size that the block computes, so that nothing is known"
        ),
    },
    "drift": {
        "1 -> 2: i64(1)": "a place more than there are states stays free",
    },
    "extremes": {
        "first operand dropped: is_small(x.var.type, KEPT) or _is_row(x, which, self.expr.size)": COST,
        "condition negated: self._arms(scope, which, count) if self._is_dear() else None": COST,
        "first operand dropped: x.size == n or not isinstance(x.size, Lit)": COST,
        "comparison changed: others * block_cost(self.expr.body.body) > DEAR": COST,
        "second operand dropped: isinstance(size, Lit) and int(size.value) <= 1 << 15": COST,
        "second operand dropped: isinstance(size, Lit) and int(size.value) <= FEW and (not "
        "isinstance(scope, ArmScope))": COST,
        "sign changed: int(size.value) - 1": COST,
        "comparison changed: int(size.value) <= 1 << 15": COST,
        "comparison changed: int(size.value) <= FEW": COST,
        "second operand dropped: seed(b, i64(i), ())[0] or share": SAME,
    },
    "functions": {
        "condition negated: atom.name.split('.', maxsplit=1)[0] if isinstance(atom, Var) else 't'": NAMES,
        "comparison changed: var not in sizes": "preparing asks what a block computes, not what it is given",
    },
    "groups": {
        "first operand dropped: isinstance(expr, Hist) or not sweep.is_varied(start)": SAME,
        "second operand dropped: name == 'add' or not start.type.shape": LOOP,
        "first operand dropped: name == 'add' or not start.type.shape": LOOP,
        "second operand dropped: isinstance(expr, Hist) or not sweep.is_varied(start)": LOOP,
    },
    "handed_on": {
        "comparison changed: block_cost(read) >= block_cost(computed.block)": COST,
        "second operand dropped: sweep.plan.is_limited or not found": "two trials that recall nothing cost the same",
        "first operand dropped: not isinstance(array, Var) or not array.type.shape or array in "
        "body.body.results[:k]": "a number that is written in the program has no shape",
    },
    "in_order": {
        "first operand dropped: any((var.type.shape for var in stm.vars)) or not _only_adds(expr, active)": (
            "arrays that do not vary could be carried along, too"
        ),
        "0 -> 1: i64(0)": "the loop has no counter that its body reads",
        "0 -> 1: i64(0) (2)": "only its type is asked for",
    },
    "indexed": {
        "second operand dropped: isinstance(entry, Span) and isinstance(entry.size, Var) and "
        "(entry.size.name in local)": COST,
        "second operand dropped: not whole or (self.scope.records(deposit.var) and (not "
        "is_small(deposit.var.type)))": COST,
        "second operand dropped: is_small(type) or is_small(type.stacked(size), KEPT)": COST,
        "first operand dropped: is_small(type) or is_small(type.stacked(size), KEPT)": COST,
        "second operand dropped: p.kind == 'sum' and (not _fits(p.deposit.value.type, size))": COST,
        "comparison changed: entry.size.name in local": LOOP,
        "condition negated: Span(i64(0), size, i64(1)) if varying else entry": LOOP,
        "second operand dropped: self.scope.records(deposit.var) and (not is_small(deposit.var.type))": LOOP,
        "first operand dropped: self.scope.records(deposit.var) and (not is_small(deposit.var.type))": LOOP,
        "condition negated: size if varying else entry.size": LOOP,
        "condition negated: if mentions(type, local):": LOOP,
        "second operand dropped: isinstance(atom, Lit) or atom.name not in self.local": SAME,
    },
    "inexact": {
        "first operand dropped: guarded or unknown (2)": "the body was gone through before, when its condition was",
    },
    "iteration": {
        "condition negated: base_name(x) if isinstance(x, Var) else 'kept'": NAMES,
    },
    "jacobians": {
        "first operand dropped: _is_straight(block) and _is_short(block, len(results) - count)": COST,
        "second operand dropped: _is_straight(block) and _is_short(block, len(results) - count)": COST,
        "sign changed: len(results) - count": COST,
        "condition negated: plan if unrolled else plan.in_parallel()": PLAN,
        "first operand dropped: unrolled and (not row.side.is_whole)": COST,
        "second operand dropped: unrolled and (not row.side.is_whole)": COST,
        "first operand dropped: not _is_short(block, len(vars)) or not pushes_together(block, names, len(vars))": COST,
    },
    "journal": {
        "condition negated: if not saved:": PLACE,
        "condition negated: _compound(stm, k) if var.type.shape else None": PLACE,
        "statement dropped: saved.append([(write, write.save(b)) for write in writes])": PLACE,
        "statement dropped: scope.restore(source, array)": PLACE,
        "first operand dropped: isinstance(atom, Var) and atom.name in sites": SAME,
        "second operand dropped: expr.op not in ('update', 'accumulate', 'update_slice') or not "
        "isinstance(expr.args[0], Va": SAME,
        "second operand dropped: not writes or not isinstance(source, Var)": SAME,
        "index off by one: expr.args[0] (2)": SAME,
        "index off by one: arms[0] (2)": SAME,
    },
    "jvp": {
        "condition negated: if one_by_one and (not is_sum(stm.expr, varies, directions)):": COST,
        "second operand dropped: isinstance(stm.expr, Custom) and stm.expr.forward is not None": COST,
        "second operand dropped: (ruled or isinstance(stm.expr, Reduce | Scan | Hist | Scatter)) and any(varies)": COST,
        "first operand dropped: (ruled or isinstance(stm.expr, Reduce | Scan | Hist | Scatter)) and any(varies)": COST,
        "second operand dropped: one_by_one and (not is_sum(stm.expr, varies, directions))": COST,
        "first operand dropped: one_by_one and (not is_sum(stm.expr, varies, directions))": COST,
    },
    "jvp_apply": {
        "second operand dropped: not out.type.dtype.is_float and lookup(expr.op).partials != 'opaque'": (
            "activity refuses the operation before"
        ),
        "comparison changed: lookup(expr.op).partials != 'opaque'": "activity refuses the operation before",
    },
    "jvp_extrema": {
        "sign changed: count + k": "no associative operator reads one operand of an extremum alone",
    },
    "jvp_scatter": {
        "condition negated: if all((isinstance(stm.expr, Apply) for stm in again.stms)):": COST,
    },
    "jvp_sums": {
        "second operand dropped: None not in counts and sum((count or 0 for count in counts)) * "
        "directions <= ACCUMULATORS": COST,
        "first operand dropped: None not in counts and sum((count or 0 for count in counts)) * directions "
        "<= ACCUMULATORS": COST,
        "comparison changed: None not in counts": COST,
        "comparison changed: sum((count or 0 for count in counts)) * directions <= ACCUMULATORS": COST,
        "second operand dropped: varies and name != 'add'": COST,
        "first operand dropped: varies and name != 'add'": COST,
        "second operand dropped: count or 0": COST,
        "first operand dropped: count or 0": COST,
    },
    "jvp_tangents": {
        "first operand dropped: x_dot is not None and (not is_literal(x_dot, 0.0))": "None is no tangent either way",
        "second operand dropped: x_dot is not None and (not is_literal(x_dot, 0.0))": COST,
    },
    "limits": {
        "le -> lt: b.apply('le', expr.count, most, hint='fits')": COST,
        "comparison changed: int(expr.count.value) <= int(most.value)": COST,
        "1 -> 2: i64(1) (4)": COST,
        "1 -> 2: i64(1) (3)": COST,
        "1 -> 2: i64(1) (2)": SAME,
        "first operand dropped: kind != 'value' or k in read": PLAN,
    },
    "local": {
        "condition negated: if isinstance(array, Var):": PLACE,
        "statement dropped: scope.restore(array, write_back(scope.b, expr, scope.primal(out), old))": PLACE,
        "second operand dropped: masked and steep": GUARD,
        "first operand dropped: masked and steep": GUARD,
        "comparison changed: k + 1 < len(parts)": DEAD,
        "sign changed: k + 1": DEAD,
    },
    "loops": {
        "0 -> 1: i64(0)": SAME,
        "0 -> 1: i64(0) (3)": COST,
        "0 -> 1: i64(0) (4)": COST,
        "statement dropped: scope.restore(source, array)": PLACE,
        "condition negated: if isinstance((source := expr.init[k]), Var):": PLACE,
    },
    "masks": {
        "second operand dropped: isinstance(stm.expr, Apply) and stm.expr.op not in TAME": GUARD,
        "second operand dropped: isinstance(atom, Var) and atom.type.dtype.is_float": GUARD,
    },
    "merged": {
        "first operand dropped: len(merging) < 2 or not _merges(stm, {*bound, *active}.difference(merging))": COST,
        "comparison changed: len(merging) < 2": COST,
        "first operand dropped: stm.vars[0].type.dtype.is_float and others.isdisjoint(expr.args)": SAME,
    },
    "overwritten": {
        "comparison changed: len(short) < len(long)": SAME,
        "comparison changed: size.value > 0": SAME,
        "comparison changed: _size(places) < _size(shared)": SAME,
        "index off by one: inner.args[2:]": COST,
        "comparison changed: dims == worst": COST,
        "comparison changed: y is not x": COST,
    },
    "noted": {
        "operands swapped: b.apply('sub', found, noted)": "only how large the difference is counts",
    },
    "places": {
        "comparison changed: name not in outer": "an unproved place costs a branch, no more",
    },
    "rebound": {
        "first operand dropped: isinstance(result, Var) and result.type.shape and (params[k].name not in read) and "
        "unread[": "a number that is written in the program has no shape",
    },
    "recovery": {
        "index off by one: pattern.shape[0]": SQUARE,
    },
    "reductions": {
        "second operand dropped: isinstance(stm.expr, Apply) and stm.expr.op == 'index'": LOOP,
        "condition negated: var if name == 'add' else None": GUARD,
        "first operand dropped: any((name in ('min', 'max') for name in names)) and (not "
        "_only_reads(expr.body)) (2)": LOOP,
        "comparison changed: name in ('min', 'max') (2)": LOOP,
        "comparison changed: name == 'add' (2)": GUARD,
        "update -> accumulate: b.apply('update', array, x, i)": SAME,
    },
    "remembered": {
        "second operand dropped: isinstance(stm.expr, Reduce) and _is_long(stm.expr) (2)": COST,
    },
    "settled": {
        "first operand dropped: place.coefficient(counter.name) == 0 or not changing.isdisjoint(place.terms)": (
            "a place that does not move has nothing behind it"
        ),
        "comparison changed: place.coefficient(counter.name) == 0": COST,
        "index off by one: body.params[0]": COST,
        "sign changed: uses[param.name] - 1": COST,
        "first operand dropped: isinstance(stm.expr, Apply) and stm.expr.op == 'index' and "
        "(stm.expr.args[0] == array)": COST,
        "comparison changed: stm.expr.op == 'index'": COST,
        "comparison changed: stm.expr.args[0] == array": COST,
        "index off by one: stm.expr.args[0]": COST,
    },
    "sparsity_apply": {
        "first operand dropped: not w.guarded or expr.op not in ('index', 'update', 'accumulate')": COST,
        "second operand dropped: union(b, w.read(b, old, keys), new) or new": "the union with a set is a set",
    },
    "sparsity_combine": {
        "second operand dropped: j in reads[k] and j != k": "uniting a set with itself changes nothing",
    },
    "stacks": {
        "first operand dropped: plan.wants_notes and (not plan.is_limited)": "what nobody asks for is not written down",
        "second operand dropped: not isinstance(atom, Var) or atom.name not in _bound(body)": SAME,
        "index off by one: found[0] (3)": SAME,
        "first operand dropped: simple and (not mentioned(block) & carried)": COST,
        "second operand dropped: isinstance(x, Var) and x.name in local and (_recipe(body, x) is None)": COST,
        "second operand dropped: irregular or any(map(_is_large, found[0]))": COST,
        "first operand dropped: irregular or any(map(_is_large, found[0]))": COST,
        "first operand dropped: write.access.op == 'update_slice' and (not all((isinstance(n, Lit) for n "
        "in write.saved.sh": COST,
        "comparison changed: write.access.op == 'update_slice'": COST,
    },
    "sweep": {
        "condition negated: if back is nothing:": COST,
        "comparison changed: back is nothing": COST,
        "second operand dropped: isinstance(atom, Var) and atom.name in self.varied": DEAD,
        "first operand dropped: singular and stm.vars[0].name in self.masked": GUARD,
        "second operand dropped: singular and stm.vars[0].name in self.masked": GUARD,
        "second operand dropped: isinstance(x, Var) and x.name in self.unbounded": GUARD,
        "second operand dropped: isinstance(result, Var) and (unknown if var is None else var.name in names)": GUARD,
        "first operand dropped: stm.vars[0].name in self.steep and may_vanish(expr.op, k)": GUARD,
        "second operand dropped: stm.vars[0].name in self.steep and may_vanish(expr.op, k)": GUARD,
        "first operand dropped: plan or Plan()": PLAN,
        "first operand dropped: plan or self.plan": PLAN,
    },
    "near": {
        "operands swapped: b.apply('sub', x, y)": "only how large the difference is counts",
        "1 -> 2: i64(1)": "only whether the largest is zero counts",
    },
    "values": {
        "index off by one: values[0]": SAME,
        "second operand dropped: x.type.shape and size == x.type.shape[0]": SAME,
        "first operand dropped: x.type.shape and size == x.type.shape[0]": SAME,
        "second operand dropped: x.name not in elements or y.name not in elements": SAME,
        "comparison changed: count <= limit": COST,
        "sign changed: count + k": COST,
        "sign changed: count + k (2)": COST,
    },
}


def reason(mutant: Mutant) -> str:
    """Why the change means nothing; empty when it should be caught."""
    module = mutant.module if mutant.package == "ad" else f"{mutant.package}/{mutant.module}"
    return EQUIVALENT.get(module, {}).get(mutant.change, "")
