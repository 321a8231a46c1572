"""The best move under joker rules: depth first through the branches (branches.pxd), under a budget.

As in best.pyx, an arrangement costs what it does not gain, and the budget starts at a bound of the whole and grows
until a path is found. The bounds are those of free jokers, under which more is legal. Paths are met in the order of
moves and only a cheaper one replaces another, so the last one is the first of the best. Where the rules cost much the
bounds are far off; then the search gives up, and the diagram of the moves finds the best (diagram.pxd).
"""

from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from meldcore.best cimport IMPOSSIBLE, Bounds
from meldcore.bits cimport i64, u16, u32, u64
from meldcore.branches cimport Branch, Branches, Detail, jokers_in, layout_in, step_in, way_in
from meldcore.laying cimport MAX_OPEN, OpenRun, lay_groups, take_way
from meldcore.monitor cimport Monitor
from meldcore.objective cimport Objective
from meldcore.outcome cimport DONE, STOPPED, TOO_LARGE, Outcome, raise_outcome
from meldcore.plan cimport MAX_LAYERS, Layer, Plan, free_plan, init_plan, most_frontiers, prepare, slack_of
from meldcore.problem cimport Problem
from meldcore.stop cimport is_due
from meldcore.tables cimport Automata, Step, Tables
from meldcore.tally cimport Tally

cdef enum:
    FIRST_MEMOS = 1 << 10
    MOST_MEMOS = 1 << 22        # 100 MB; beyond that nothing is remembered any more
    STEPS_BETWEEN_CHECKS = 64
    FEW_FRONTIERS = 400         # with no more a diagram is as fast
    FEWEST_STEPS = 500          # before a search gives up, and one more for each frontier that a diagram would have

cdef struct Memo:
    u64 key
    i64 bound
    int layer                   # 0: the entry is free


cdef class Search:
    """One search, and its memory for the next one."""
    cdef Plan plan
    cdef Branches branches
    cdef Bounds bounds
    cdef vector[Memo] memos
    cdef size_t memo_count
    cdef i64 passed[MAX_LAYERS + 1]     # see Bounds.find_passed
    cdef u32 path[MAX_LAYERS]           # what the branches of the path so far do
    cdef u32 best_path[MAX_LAYERS]
    cdef i64 best                       # what the best path so far costs
    cdef i64 lowest                     # no path costs less
    cdef double steps
    cdef double most_steps
    cdef bint gave_up
    cdef Outcome outcome
    cdef bint over                      # the best cannot be better, or the search has to end

    def __cinit__(self, Tables tables not None):
        init_plan(&self.plan)
        self.bounds = Bounds(tables)
        self.branches = Branches(Monitor(Tally()), self.bounds)

    def __dealloc__(self):
        free_plan(&self.plan)

    cdef bint solve(self, const Problem* problem, const Automata* automata, const Objective* objective) except -1 nogil:
        """Leaves the best path in `best_path`; False where there is none."""
        cdef i64 ceiling, found, slack = 0
        cdef double frontiers
        cdef u64 top
        self.outcome = DONE
        self.gave_up = False
        self.best = IMPOSSIBLE
        self.steps = 0
        if not prepare(problem, automata, &self.plan):
            return False
        frontiers = most_frontiers(&self.plan)
        self.gave_up = frontiers <= FEW_FRONTIERS
        if self.gave_up:
            return False
        self.branches.reset(&self.plan)
        if not self.branches.start(&top):
            return False
        self.bounds.reset(problem, objective)
        self.bounds.find_passed(&self.plan, self.passed)
        self.memos.assign(FIRST_MEMOS, Memo(0, 0, 0))
        self.memo_count = 0
        self.lowest = self.bounds.least(&self.plan, NULL, top)
        self.most_steps = FEWEST_STEPS + frontiers
        while self.lowest < IMPOSSIBLE:
            self.over = False
            self.best = ceiling = self.lowest + slack + 1
            found = self.search_from(0, top, 0)
            if self.outcome != DONE or self.gave_up:
                if self.best == ceiling:
                    self.best = IMPOSSIBLE
                return False
            if self.best < ceiling:
                return True
            self.lowest = found
            slack += self.bounds.typical
        return False

    cdef i64 search_from(self, int at, u64 key, i64 spent) except -1 nogil:
        """Find the paths from here that cost less than the best so far; returns what any path from here costs at least.
        """
        cdef const Layer* layer = &self.plan.layer[at]
        cdef const Memo* known
        cdef Branch branch
        cdef size_t first, i
        cdef i64 cost, bound, least, passed = self.passed[at]
        if at == self.plan.layers:
            return self.finish(key, spent + passed) + passed
        known = self.memo(key, at + 1)
        if known.layer and spent + known.bound >= self.best:
            return known.bound
        self.steps += 1
        if (self.steps > self.most_steps or <u32> self.steps % STEPS_BETWEEN_CHECKS == 0) and self.must_end():
            return IMPOSSIBLE
        first = self.branches.found.size()
        self.branches.room = self.best - spent - passed
        self.branches.expand(layer, key)
        least = passed + self.branches.least
        for i in range(first, self.branches.found.size()):
            branch = self.branches.found[i]
            bound = passed + branch.bound
            if spent + bound < self.best:
                cost = passed + branch.cost
                self.path[at] = branch.what
                bound = cost + self.search_from(at + 1, branch.key, spent + cost)
                if self.over:
                    break
            least = min(least, bound)
        self.branches.found.resize(first)
        if not self.over:
            self.remember(key, at + 1, least)
        return least

    cdef bint must_end(self) noexcept nogil:
        if is_due(self.plan.problem.stop):
            self.outcome = STOPPED
        elif self.branches.monitor.is_full():
            self.outcome = TOO_LARGE
        self.gave_up = self.steps > self.most_steps
        self.over = self.gave_up or self.outcome != DONE
        return self.over

    cdef i64 finish(self, u64 key, i64 spent) noexcept nogil:
        """The path is complete."""
        cdef i64 cost
        if not self.branches.accepts(key):
            return IMPOSSIBLE
        cost = self.bounds.joker_cost(slack_of(&self.plan, key))
        if spent + cost < self.best:
            self.best = spent + cost
            self.over = self.best <= self.lowest
            memcpy(self.best_path, self.path, sizeof(self.path))
        return cost

    # ---- what frontiers were found to cost at least, which holds for all budgets

    cdef Memo* memo(self, u64 key, int layer) noexcept nogil:
        """The entry of a frontier, or a free one."""
        cdef size_t mask = self.memos.size() - 1
        cdef size_t place = ((key ^ <u64> layer << 57) * 0x9E3779B97F4A7C15ULL >> 24) & mask
        while self.memos[place].layer and (self.memos[place].key != key or self.memos[place].layer != layer):
            place = (place + 1) & mask
        return &self.memos[place]

    cdef void remember(self, u64 key, int layer, i64 bound) noexcept nogil:
        cdef vector[Memo] old
        cdef size_t i
        cdef Memo* entry = self.memo(key, layer)
        if not entry.layer:
            if 2 * self.memo_count > self.memos.size():
                if self.memos.size() == MOST_MEMOS:
                    return
                old.swap(self.memos)
                self.memos.assign(4 * old.size(), Memo(0, 0, 0))
                for i in range(old.size()):
                    if old[i].layer:
                        self.memo(old[i].key, old[i].layer)[0] = old[i]
                entry = self.memo(key, layer)
            self.memo_count += 1
        entry[0] = Memo(key, bound, layer)

    # ---- the sets of the best path

    cdef int write_sets(self, u32* codes) noexcept nogil:
        cdef const Automata* a = self.plan.automata
        cdef const u16* picks = self.branches.monitor.picks.data()
        cdef OpenRun runs[2][4][MAX_OPEN]
        cdef int latest[4]                  # which of the two is in use
        cdef int i, count = 0, given = 0, number = 0, _open
        cdef const Layer* layer
        cdef const Detail* details = self.branches.details.data()
        cdef u32 what
        cdef const Step* step
        memset(latest, 0, sizeof(latest))
        for i in range(self.plan.layers):
            layer = &self.plan.layer[i]
            what = self.best_path[i]
            step = a.steps + step_in(what, details)
            if layer.number != number:
                number = layer.number
                given = 0
            given |= step.g << 2 * layer.colour
            count = take_way(a, a.ways + step.way + way_in(what, details, picks, 0), layer.colour, number,
                             runs[latest[layer.colour]][layer.colour], runs[1 - latest[layer.colour]][layer.colour],
                             &_open, codes, count)
            latest[layer.colour] = 1 - latest[layer.colour]
            if layer.last:
                count = lay_groups(a, number, given, jokers_in(what, details), layout_in(what, details, picks, 0),
                                   codes, count)
        return count


cdef dict idle = {}             # searches that no thread uses, by tables


cdef int best_by_branches(const Problem* problem, Tables tables, const Objective* objective, u32* codes,
                          i64* cost) except -3:
    cdef list searches = idle.setdefault(tables, [])
    cdef Search search = searches.pop() if searches else Search(tables)
    cdef int count = -1
    with nogil:
        if search.solve(problem, &tables.automata, objective):
            count = search.write_sets(codes)
        elif search.gave_up:
            count = GAVE_UP
        cost[0] = search.best
        if problem.work != NULL:
            problem.work.steps += <u64> search.steps
            problem.work.gave_up = search.gave_up
        search.branches.clear()
    searches.append(search)
    raise_outcome(search.outcome, problem.stop, "moves")
    return count
