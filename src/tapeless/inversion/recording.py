"""Programs that keep hidden values, and programs that use them (`sites`).

`recorded` is the program as it is, which also returns an array for each site: what was kept there, in the order of
passing. It is run once before, to count. `replayed` is told the values from such arrays, and a loop with a condition
becomes one with a count. Each site has an index of its own that moves by one each time the site is passed, and so is
known on the way back too: the program is solved by the usual rules.

    if c: A            recorded: kept[p] = c; p += 1; if c: A         replayed: c is told to be kept[p]; p += 1; if c: A
    while c: A         recorded: n = 0; while c: A; n += 1            replayed: for i < kept[p]: A
                                 kept[p] = n; p += 1                            p += 1
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Block, Custom, For, If, Lambda, Map, Stm, While
from ..ir.types import I64, Atom, Type, Var, i64, zero
from ..ir.walk import fresh, inline
from .recording_maps import collected, map_collected, map_told, tell_all
from .sites import Layout, Site, layout, outside, sites_within
from .solving import CannotInvert

# What a program carries for each site, by its name.
State = dict[str, tuple[Atom, ...]]


def recorded(block: Block, sites: Sequence[Site]) -> Block:
    """The block, with an array for each site as further results."""
    layouts = {site.name: layout(block, site) for site in sites}
    many = [site for site in sites if not layouts[site.name].once]
    b = Builder()
    start: State = {site.name: (i64(0),) for site in many}
    if many:
        inner = Builder()
        end = _Counting(many).program(inner, block, start)
        counts = b.splice(inline(Lambda((), inner.block([end[site.name][0] for site in many])), ()))
        for site, count in zip(many, counts, strict=True):
            type = layouts[site.name].type.stacked(count)
            start[site.name] = (i64(0), b.apply("replicate", zero(type.dtype), *type.shape, hint="kept"))
    filling = _Filling(sites, layouts)
    end = filling.program(b, block, start)
    return b.block((*block.results, *(filling.rows.get(site.name) or end[site.name][1] for site in sites)))


def replayed(block: Block, sites: Sequence[Site], kept: Mapping[str, Var]) -> Block:
    """The block, told its hidden values from arrays; the indices of sites after it are further results."""
    for site in sites:
        layout(block, site)
    b = Builder()
    end = _Replaying(sites, kept).program(b, block, {site.name: (i64(0),) for site in sites})
    return b.block((*block.results, *(end[site.name][0] for site in sites)))


def recorded_step(body: Lambda, sites: Sequence[Site]) -> Lambda:
    """An iteration of a loop that also returns what is kept of it at each site: sites are passed at most once."""
    return Lambda(body.params, collected(Builder(), body.body, sites))


def replayed_step(body: Lambda, sites: Sequence[Site], rows: Mapping[str, Atom]) -> Lambda:
    """An iteration of a loop that is told what was kept of it."""
    b = Builder()
    tell_all(b, body.body, sites, rows)
    return Lambda(body.params, b.block(body.body.results))


class _Walk(ABC):
    """Goes through a program, and carries the state of sites through all forms that they stand in."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self.sites = {site.name: site for site in sites}

    @abstractmethod
    def passed(self, b: Builder, site: Site, value: Atom, state: State) -> State:
        """After a site: its variable, or of a loop what `looped` makes of it."""

    @abstractmethod
    def looped(self, b: Builder, stm: Stm, site: Site, state: State) -> State:
        """A loop with a condition whose iterations are counted."""

    @abstractmethod
    def mapped(self, b: Builder, stm: Stm, inside: Sequence[Site], state: State) -> State:
        """A parallel loop with sites in it."""

    def program(self, b: Builder, block: Block, state: State) -> State:
        """The whole of a program."""
        for site in outside(block, list(self.sites.values())):
            state = self.passed(b, site, site.var, state)
        return self.block(b, block, state)

    def block(self, b: Builder, block: Block, state: State) -> State:
        for stm in block.stms:
            with b.at(stm.pos):
                state = self._statement(b, stm, state)
        return state

    def _statement(self, b: Builder, stm: Stm, state: State) -> State:
        own = self.sites.get(stm.vars[0].name) if stm.vars else None
        if own is not None and own.is_count:
            return self.looped(b, stm, own, state)
        inside = sites_within(stm, list(self.sites.values()))
        if inside and isinstance(stm.expr, Map):
            state = self.mapped(b, stm, inside, state)
        elif inside:
            state = self.threaded(b, stm, inside, state)
        else:
            b.stms.append(stm)
        for var in stm.vars:
            if (site := self.sites.get(var.name)) is not None:
                state = self.passed(b, site, var, state)
        return state

    def threaded(self, b: Builder, stm: Stm, inside: Sequence[Site], state: State) -> State:
        """A loop or branch that also carries the state of the sites in it."""
        names = [site.name for site in inside]
        flat = [atom for name in names for atom in state[name]]

        def regrouped(atoms: Sequence[Atom]) -> State:
            rest = iter(atoms)
            return {name: tuple(next(rest) for _ in state[name]) for name in names}

        def through(block: Block, atoms: Sequence[Atom]) -> Block:
            inner = b.child()
            end = self.block(inner, block, {**state, **regrouped(atoms)})
            return inner.block((*block.results, *(atom for name in names for atom in end[name])))

        params = [fresh("kept", atom.type) for atom in flat]
        match stm.expr:
            case If(cond, then, orelse):
                expr = If(cond, through(then, flat), through(orelse, flat))
            case For(count, init, body):
                expr = For(count, (*init, *flat), Lambda((*body.params, *params), through(body.body, params)))
            case While(init, cond, body):
                ignored = [fresh("kept", atom.type) for atom in flat]
                goes_on = Lambda((*cond.params, *ignored), cond.body)
                expr = While((*init, *flat), goes_on, Lambda((*body.params, *params), through(body.body, params)))
            case _:
                raise CannotInvert("a value would have to be kept for each element of a parallel loop", stm.pos)
        ends = [fresh("kept", atom.type) for atom in flat]
        b.stms.append(Stm((*stm.vars, *ends), expr, stm.pos))
        return {**state, **regrouped(ends)}


class _Counting(_Walk):
    """How often each site is passed: the state is that number."""

    def passed(self, b: Builder, site: Site, value: Atom, state: State) -> State:
        del value
        (count,) = state[site.name]
        return {**state, site.name: (b.apply("add", count, i64(1)),)}

    def looped(self, b: Builder, stm: Stm, site: Site, state: State) -> State:
        return self.passed(b, site, stm.vars[0], self.threaded(b, stm, self._inside(stm), state))

    def mapped(self, b: Builder, stm: Stm, inside: Sequence[Site], state: State) -> State:
        b.stms.append(stm)
        for site in inside:
            state = self.passed(b, site, stm.vars[0], state)
        return state

    def _inside(self, stm: Stm) -> list[Site]:
        return sites_within(stm, list(self.sites.values()))


class _Filling(_Walk):
    """Keep what there is at each site: the state is an index and the array. What is passed once has none."""

    def __init__(self, sites: Sequence[Site], layouts: Mapping[str, Layout]) -> None:
        super().__init__(sites)
        self.layouts = layouts
        self.rows: dict[str, Atom] = {}

    def passed(self, b: Builder, site: Site, value: Atom, state: State) -> State:
        if self.layouts[site.name].once:
            self.rows[site.name] = b.apply("stack", value)
            return state
        p, kept = state[site.name]
        return {**state, site.name: (b.apply("add", p, i64(1)), b.apply("update", kept, value, p))}

    def looped(self, b: Builder, stm: Stm, site: Site, state: State) -> State:
        expr = stm.expr
        assert isinstance(expr, While)
        old, ignored, inner = fresh("trips", Type(I64)), fresh("trips", Type(I64)), b.child()
        inner.stms += expr.body.body.stms
        new = inner.apply("add", old, i64(1))
        trips = fresh("trips", Type(I64))
        counted = While(
            (*expr.init, i64(0)),
            Lambda((*expr.cond.params, ignored), expr.cond.body),
            Lambda((*expr.body.params, old), inner.block((*expr.body.body.results, new))),
        )
        loop = Stm((*stm.vars, trips), counted, stm.pos)
        inside = sites_within(stm, list(self.sites.values()))
        if inside:
            state = self.threaded(b, loop, inside, state)
        else:
            b.stms.append(loop)
        return self.passed(b, site, trips, state)

    def mapped(self, b: Builder, stm: Stm, inside: Sequence[Site], state: State) -> State:
        for site, row in map_collected(b, stm, inside).items():
            state = self.passed(b, self.sites[site], row, state)
        return state


class _Replaying(_Walk):
    """Say what there was at each site: the state is the index of the next one."""

    def __init__(self, sites: Sequence[Site], kept: Mapping[str, Var]) -> None:
        super().__init__(sites)
        self.kept = kept

    def passed(self, b: Builder, site: Site, value: Atom, state: State) -> State:
        return self._told(b, site, state, lambda inner, row: inner.check("told", value, row))

    def looped(self, b: Builder, stm: Stm, site: Site, state: State) -> State:
        expr, kept = stm.expr, self.kept[site.name]
        assert isinstance(expr, While)
        (p,) = state[site.name]
        b.check("bounds", p, kept.type.shape[0])
        count = b.apply("index", kept, p, hint="trips")
        state = {**state, site.name: (b.apply("add", p, i64(1)),)}
        turn = fresh("i", Type(I64))
        loop = Stm(stm.vars, For(count, expr.init, Lambda((turn, *expr.body.params), expr.body.body)), stm.pos)
        inside = sites_within(stm, list(self.sites.values()))
        if inside:
            return self.threaded(b, loop, inside, state)
        b.stms.append(loop)
        return state

    def mapped(self, b: Builder, stm: Stm, inside: Sequence[Site], state: State) -> State:
        rows: dict[str, Atom] = {}
        for site in inside:
            (p,) = state[site.name]
            b.check("bounds", p, self.kept[site.name].type.shape[0])
            rows[site.name] = b.apply("index", self.kept[site.name], p, hint="kept")
            state = {**state, site.name: (b.apply("add", p, i64(1)),)}
        map_told(b, stm, inside, rows)
        return state

    def _told(self, b: Builder, site: Site, state: State, tell: Callable[[Builder, Atom], None]) -> State:
        kept, (p,) = self.kept[site.name], state[site.name]
        b.check("bounds", p, kept.type.shape[0])
        inner = b.child()
        tell(inner, inner.apply("index", kept, p))
        b.bind((), Custom((), Lambda((), inner.block(()))))
        return {**state, site.name: (b.apply("add", p, i64(1)),)}
