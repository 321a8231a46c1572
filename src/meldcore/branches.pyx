"""See branches.pxd."""

from libc.string cimport memcmp

from meldcore.best cimport IMPOSSIBLE, Bounds
from meldcore.bits cimport i8, u16, u32, u64
from meldcore.monitor cimport (
    ALL_PICKS, NO_NODE, Fate, Fates, Monitor, fates_of_groups, fates_of_step, is_payable, is_quiet_at,
)
from meldcore.plan cimport (
    CLASS_BITS, SLACK_BITS, Frontier, Layer, LiveStep, Plan, frontier_of, next_class, same_choice, slack_of, steps_end,
    steps_of, tally_place,
)


cdef class Branches:
    def __cinit__(self, Monitor monitor not None, Bounds bounds=None):
        self.monitor = monitor
        self.bounds = bounds

    cdef void reset(self, Plan* plan) noexcept nogil:
        self.plan = plan
        self.monitor.tally.reset(plan)
        self.monitor.reset(plan)
        self.details.clear()
        self.slots.assign(256, 0)
        self.found.clear()

    cdef void clear(self) noexcept nogil:
        self.monitor.tally.clear()
        self.monitor.clear()
        self.details.clear()
        self.found.clear()

    cdef bint start(self, u64* key) noexcept nogil:
        key[0] = (<u64> self.plan.slack << 4 * self.plan.state_bits
                  | <u64> self.monitor.start << (tally_place(self.plan) + 1))
        return self.monitor.start != NO_NODE

    cdef bint accepts(self, u64 key) noexcept nogil:
        cdef u32 t = <u32> (key >> tally_place(self.plan))
        cdef int jokers = self.jokers_played(key)
        if jokers < 0 or self.plan.problem.lay and not t & 1 and jokers == 0:
            return False
        return self.monitor.accepts(t >> 1, jokers)

    cdef int jokers_played(self, u64 key) noexcept nogil:
        return self.plan.problem.jokers - slack_of(self.plan, key) - self.plan.problem.must_jokers

    cdef bint expand(self, const Layer* layer, u64 key) except -1 nogil:
        """The order: by choice, by jokers in the groups, by state, then by what the claims become."""
        cdef Plan* plan = self.plan
        cdef int slack_at = 4 * plan.state_bits, class_at = slack_at + SLACK_BITS, tally_at = class_at + CLASS_BITS
        cdef Frontier f = frontier_of(plan, layer, key)
        cdef u32 node = <u32> f.tally >> 1, w, k
        cdef u64 played, following
        cdef const LiveStep *step = steps_of(plan, layer, f.state)
        cdef const LiveStep *end = steps_end(plan, layer, f.state)
        cdef const LiveStep *alike
        cdef Fates ways, layouts
        cdef Fate fate, last
        cdef Detail detail
        cdef int jokers, i
        cdef Branch branch = Branch(0, 0, 0, 0)
        self.least = IMPOSSIBLE
        if self.bounds is not None:
            self.bounds.look(plan, layer, key)
        if is_quiet_at(self.monitor, node, layer):
            return self.expand_quiet(layer, &f)
        while step != end:
            alike = step            # steps of one choice: the jokers in groups come before their states in the order
            while alike != end and same_choice(plan.automata, alike, step):
                alike += 1
            if next_class(layer, f.cls, step.g) < 0:
                step = alike
                continue
            played = f.tally & 1 | <u64> (step.used > layer.must)
            if layer.too_late and not played:
                step = alike
                continue
            for jokers in range(f.slack + 1 if layer.last else 1):
                for i in range(alike - step):
                    if step[i].cost + jokers > f.slack:
                        continue
                    following = f.rest + step[i].change - (<u64> jokers << slack_at) | played << tally_at
                    if not layer.last:
                        following |= <u64> next_class(layer, f.cls, step.g) << class_at
                    if self.bounds is not None and is_dear(self, layer, &step[i], f.slack - jokers, &branch):
                        continue
                    ways = fates_of_step(self.monitor, node, layer, &step[i])
                    for w in range(ways.count):
                        fate = self.monitor.fates[ways.first + w]
                        if layer.last:
                            layouts = fates_of_groups(self.monitor, fate.node, layer, f.cls, step.g, jokers)
                        else:
                            self.monitor.fates[1] = Fate(fate.node, 1, ALL_PICKS)
                            layouts = Fates(1, 1)
                        for k in range(layouts.count):
                            last = self.monitor.fates[layouts.first + k]
                            if is_payable(self.monitor, last.node, layer, following):
                                detail = Detail(step[i].step, fate.picks, fate.first, last.picks, last.first, jokers)
                                branch.key = following | <u64> last.node << (tally_at + 1)
                                branch.what = detailed(self.intern(&detail))
                                self.found.push_back(branch)
            step = alike
        return True

    cdef bint expand_quiet(self, const Layer* layer, const Frontier* f) except -1 nogil:
        """The same where the claims stay as they are, whatever is done."""
        cdef Plan* plan = self.plan
        cdef int class_at = 4 * plan.state_bits + SLACK_BITS, tally_at = class_at + CLASS_BITS
        cdef u64 beside = (f.tally & ~<u64> 1) << tally_at, played_before = f.tally & 1, played
        cdef const LiveStep *step = steps_of(plan, layer, f.state)
        cdef const LiveStep *end = steps_end(plan, layer, f.state)
        cdef const LiveStep *alike
        cdef const i8* class_after = layer.next[f.cls]
        cdef const u16* ways
        cdef int jokers, i
        while step != end:
            alike = step
            if layer.last:
                while alike != end and same_choice(plan.automata, alike, step):
                    alike += 1
            else:               # nothing else orders the branches
                alike += 1
            played = played_before | <u64> (step.used > layer.must)
            if class_after[step.g] >= 0 and (played or not layer.too_late):
                if not layer.last:
                    lay_quietly(self, layer, f, step, 0, beside | played << tally_at
                                | <u64> class_after[step.g] << class_at, plain(step.step, 0, 0))
                else:
                    ways = layer.groups.ways[class_after[step.g]]
                    for jokers in range(f.slack + 1):
                        for i in range(alike - step if ways[jokers] else 0):
                            lay_quietly(self, layer, f, &step[i], jokers, beside | played << tally_at,
                                        plain(step[i].step, jokers, class_after[step.g]))
            step = alike
        return True

    cdef u32 intern(self, const Detail* detail) noexcept nogil:
        cdef size_t mask = self.slots.size() - 1, i
        cdef u64 place = place_of_detail(detail) & mask
        while self.slots[place]:
            if not memcmp(&self.details[self.slots[place] - 1], detail, sizeof(Detail)):
                return self.slots[place] - 1
            place = (place + 1) & mask
        self.details.push_back(detail[0])
        self.slots[place] = <u32> self.details.size()
        if 2 * self.details.size() > self.slots.size():
            mask = 4 * self.slots.size() - 1
            self.slots.assign(mask + 1, 0)
            for i in range(self.details.size()):
                place = place_of_detail(&self.details[i]) & mask
                while self.slots[place]:
                    place = (place + 1) & mask
                self.slots[place] = <u32> i + 1
        return <u32> self.details.size() - 1


cdef inline void lay_quietly(Branches self, const Layer* layer, const Frontier* f, const LiveStep* step, int jokers,
                             u64 beside, u32 what) noexcept nogil:
    """One branch of expand_quiet, if it can be. `beside`: of its key, what the step says nothing about."""
    cdef Branch branch = Branch(0, 0, 0, 0)
    if step.cost + jokers > f.slack:
        return
    if self.bounds is not None and is_dear(self, layer, step, f.slack - jokers, &branch):
        return
    branch.key = f.rest + step.change - (<u64> jokers << 4 * self.plan.state_bits) | beside
    branch.what = what
    if is_payable(self.monitor, <u32> (f.tally >> 1), layer, branch.key):
        self.found.push_back(branch)


cdef inline bint is_dear(Branches self, const Layer* layer, const LiveStep* step, int slack,
                         Branch* branch) noexcept nogil:
    """Work out the cost and the bound of a step that has so much slack. Is there no room for it?"""
    branch.cost = self.bounds.tile_cost(layer.colour, layer.number, step.used)
    branch.bound = branch.cost + self.bounds.least_behind(self.plan, step.to, slack - step.cost)
    if branch.bound < self.room:
        return False
    self.least = min(self.least, branch.bound)
    return True


cdef inline u64 place_of_detail(const Detail* d) noexcept nogil:
    cdef u64 h = (<u64> d.step << 32 | <u64> <u32> d.first_way) * 0x9E3779B97F4A7C15ULL
    h = (h ^ h >> 29 ^ (<u64> d.layouts << 40 | <u64> <u32> d.first_layout << 4 | d.jokers)) * 0xBF58476D1CE4E5B9ULL
    return h >> 24
