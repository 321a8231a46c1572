"""See diagram.pxd."""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset
from libcpp.vector cimport vector

from meldcore.bits cimport add_over, bit_width, from_python, i64, mul_over, to_python, u16, u32, u64, u128
from meldcore.best cimport IMPOSSIBLE, Bounds, best_arrangement
from meldcore.best_branches cimport GAVE_UP, best_by_branches
from meldcore.branches cimport Branches, Detail, jokers_in, layout_in, plain, step_in, way_in
from meldcore.keys cimport Keys, clear_keys, free_keys, grow_keys, place_of, prefetch, slot_of
from meldcore.laying cimport OpenRun, lay_groups, take_way
from meldcore.monitor cimport Monitor
from meldcore.objective cimport Objective
from meldcore.outcome cimport DONE, FAILED, STOPPED, TOO_LARGE, TOO_WIDE, Outcome, raise_outcome
from meldcore.plan cimport (
    CLASS_BITS, MAX_LAYERS, SLACK_BITS, Frontier, Layer, LiveStep, Plan, free_plan, frontier_of, init_plan, prepare,
    same_choice, slack_of, steps_end, steps_of, tally_place,
)
from meldcore.problem cimport MAX_SETS, Problem
from meldcore.sets cimport is_group, run_code, set_colour, set_detail, set_length, set_number
from meldcore.sets cimport sort_codes
from meldcore.stop cimport is_due
from meldcore.tables cimport Step, Tables
from meldcore.tally cimport Tally, tally_accepts, tally_groups, tally_step

cdef enum:
    BATCH = 128             # edges whose ends are looked up together
    UNKNOWN_COST = -1
    KEPT_BYTES = 64 << 20   # of a graph whose memory is used again

cdef u32 OPEN_MARK = 1u << 31       # tells a run that goes on from a finished one


# ---------------------------------------------------------------- building

cdef struct Arena:          # all memory of a build
    Plan plan
    Keys keys[2]
    Edge* edges
    u32* first
    u128* below
    size_t edge_room
    size_t node_room
    u64* batch              # keys of the nodes that the latest edges lead to
    size_t batch_room


cdef class DiagramArena:
    cdef Arena arena
    cdef Tally tally
    cdef Branches branches      # for joker rules

    def __cinit__(self):
        memset(&self.arena, 0, sizeof(Arena))
        self.tally = Tally()
        self.branches = Branches(Monitor(self.tally))
        init_plan(&self.arena.plan)
        grow_keys(&self.arena.keys[0], 10)
        grow_keys(&self.arena.keys[1], 10)

    def __dealloc__(self):
        free_plan(&self.arena.plan)
        free_keys(&self.arena.keys[0])
        free_keys(&self.arena.keys[1])
        free(self.arena.edges)
        free(self.arena.first)
        free(self.arena.below)
        free(self.arena.batch)


cdef Outcome room_for(Arena* arena, size_t nodes, size_t edges) except FAILED nogil:
    if nodes > arena.node_room:
        arena.node_room = 2 * nodes
        arena.first = <u32*> realloc(arena.first, arena.node_room * sizeof(u32))
        arena.below = <u128*> realloc(arena.below, arena.node_room * sizeof(u128))
    if edges > arena.edge_room:
        arena.edge_room = edges + (edges >> 1)
        arena.edges = <Edge*> realloc(arena.edges, arena.edge_room * sizeof(Edge))
    if arena.first == NULL or arena.below == NULL or arena.edges == NULL:
        raise MemoryError()
    if arena.edge_room * sizeof(Edge) + arena.node_room * (sizeof(u32) + sizeof(u128)) > <size_t> DIAGRAM_BYTES:
        return TOO_LARGE
    return DONE


cdef class Costs:
    """What the best arrangement of a problem costs, and what leads there."""
    cdef Bounds bounds
    cdef i64 ceiling                    # no arrangement wanted costs more; IMPOSSIBLE: it is not known yet
    cdef i64 passed[MAX_LAYERS + 1]     # see Bounds.find_passed
    cdef vector[i64] spent              # [node] least cost from the top
    cdef vector[i64] left               # [node] least cost to an end

    def __cinit__(self, Bounds bounds not None):
        self.bounds = bounds
        self.ceiling = IMPOSSIBLE

    cdef i64 of_edge(self, const Plan* plan, Branches branches, int layer, const Edge* edge) noexcept nogil:
        cdef const Step* step = plan.automata.steps + step_in(edge.what, branches.details.data())
        return self.passed[layer] + self.bounds.tile_cost(plan.layer[layer].colour, plan.layer[layer].number,
                                                          step.r + step.g)

    cdef void spend(self, const Plan* plan, Branches branches, int layer, const Arena* arena, size_t begin, size_t end,
                    size_t nodes) noexcept nogil:
        """Work out `spent` of the nodes behind the layer, of which there are `nodes` in all now, from `begin` .. `end`
        before it.
        """
        cdef size_t n
        cdef u32 e, to
        self.spent.resize(nodes, IMPOSSIBLE)
        for n in range(begin, end):
            for e in range(arena.first[n], arena.first[n + 1]):
                to = arena.edges[e].to
                self.spent[to] = min(self.spent[to],
                                     self.spent[n] + self.of_edge(plan, branches, layer, &arena.edges[e]))

    cdef void cut(self, const Plan* plan, Branches branches, Arena* arena, const size_t* base,
                  const Keys* ends) noexcept nogil:
        """Let only the edges lead on that are part of a best arrangement. `ends`: the frontiers at the end."""
        cdef size_t n, nodes = base[plan.layers + 1]
        cdef i64 cost
        cdef u32 e
        cdef int i
        self.left.assign(nodes, IMPOSSIBLE)
        self.ceiling = IMPOSSIBLE
        for n in range(base[plan.layers], nodes):
            if arena.below[n]:
                self.left[n] = self.passed[plan.layers] + self.bounds.joker_cost(
                    slack_of(plan, ends.keys[n - base[plan.layers]]))
                self.ceiling = min(self.ceiling, self.spent[n] + self.left[n])
        for n in range(base[plan.layers], nodes):
            arena.below[n] = self.ceiling < IMPOSSIBLE and self.spent[n] + self.left[n] == self.ceiling
        arena.below[nodes] = 0
        for i in range(plan.layers - 1, -1, -1):
            for n in range(base[i], base[i + 1]):
                for e in range(arena.first[n], arena.first[n + 1]):
                    cost = self.of_edge(plan, branches, i, &arena.edges[e]) + self.left[arena.edges[e].to]
                    self.left[n] = min(self.left[n], cost)
                    if self.spent[n] + cost != self.ceiling:
                        arena.edges[e].to = <u32> nodes


cdef Outcome build(Graph* d, Arena* arena, Tally tally, Branches branches, Costs costs) except FAILED nogil:
    """Forwards: all nodes and edges that the jokers can pay for. Backwards: the counts. Then dead edges go.

    With `costs` only the best arrangements are kept, and only frontiers entered that may lead to one.
    """
    cdef Plan* plan = &arena.plan
    cdef int i, c
    cdef Keys *here = &arena.keys[0]
    cdef Keys *there = &arena.keys[1]
    cdef Keys *swap
    cdef size_t nodes = 0, edges = 0, placed
    cdef size_t widest = <size_t> plan.automata.most_steps * (plan.slack + 1)      # edges of a node, at most
    cdef size_t base[MAX_LAYERS + 2]
    cdef int latest[4]
    cdef u32 n
    cdef u64 top = <u64> plan.slack << 4 * plan.state_bits
    cdef bint watched = plan.problem.joker_rules != NULL
    if watched and not branches.start(&top):
        return DONE
    for c in range(4):
        latest[c] = -1
    if BATCH + widest > arena.batch_room:
        arena.batch_room = BATCH + widest
        arena.batch = <u64*> realloc(arena.batch, arena.batch_room * sizeof(u64))
        if arena.batch == NULL:
            raise MemoryError()
    clear_keys(here)
    place_of(here, top)
    base[0] = 0
    d.layers = plan.layers
    if costs is not None:
        costs.bounds.find_passed(plan, costs.passed)
        costs.spent.assign(1, 0)
    for i in range(plan.layers):
        d.layer[i].number = plan.layer[i].number
        d.layer[i].colour = plan.layer[i].colour
        d.layer[i].must = plan.layer[i].must
        d.layer[i].last = plan.layer[i].last
        d.layer[i].groups = plan.layer[i].groups
        d.layer[i].previous = latest[plan.layer[i].colour]
        latest[plan.layer[i].colour] = i
        nodes += here.entries
        base[i + 1] = nodes
        if room_for(arena, nodes + 1, edges + 1) == TOO_LARGE:
            return TOO_LARGE
        clear_keys(there)
        placed = edges
        for n in range(here.entries):
            if (watched or n & 255 == 255) and is_due(plan.problem.stop):
                return STOPPED
            if tally.part and tally.is_full() or watched and branches.monitor.is_full():
                return TOO_LARGE
            arena.first[base[i] + n] = <u32> edges
            if costs is not None and costs.ceiling < costs.spent[base[i] + n] + costs.bounds.least(
                    plan, &plan.layer[i - 1] if i else NULL, here.keys[n]):
                continue
            if watched:
                if take_branches(branches, &plan.layer[i], here.keys[n], arena, &edges, placed) == TOO_LARGE:
                    return TOO_LARGE
                place_edges(arena, there, base[i + 1], placed, edges)
                placed = edges
                continue
            if edges + widest > arena.edge_room and room_for(arena, 0, edges + widest) == TOO_LARGE:
                return TOO_LARGE
            expand(plan, &plan.layer[i], tally, here.keys[n], there, arena, &edges, placed)
            if edges - placed >= BATCH:
                place_edges(arena, there, base[i + 1], placed, edges)
                placed = edges
        place_edges(arena, there, base[i + 1], placed, edges)
        if costs is not None:
            arena.first[nodes] = <u32> edges
            costs.spend(plan, branches, i, arena, base[i], nodes, nodes + there.entries)
        swap = here
        here = there
        there = swap
    nodes += here.entries
    base[plan.layers + 1] = nodes
    if room_for(arena, nodes + 1, edges + 1) == TOO_LARGE:
        return TOO_LARGE
    for n in range(here.entries + 1):
        arena.first[base[plan.layers] + n] = <u32> edges
    for n in range(here.entries):
        if watched:
            arena.below[base[plan.layers] + n] = branches.accepts(here.keys[n])
            continue
        arena.below[base[plan.layers] + n] = tally_accepts(
            tally, <u32> (here.keys[n] >> tally_place(plan)), plan.problem.jokers - slack_of(plan, here.keys[n]))
    if costs is not None:
        costs.cut(plan, branches, arena, base, here)
    if watched:
        keep_details(d, branches)
    if not count_backwards(d, arena, base):
        return TOO_WIDE
    keep(d, arena, base)
    return DONE


cdef bint place_edges(Arena* arena, Keys* there, size_t base, size_t begin, size_t end) except -1 nogil:
    """Number the nodes that the edges from `begin` on lead to."""
    cdef size_t e
    if there.entries + (end - begin) > there.room:
        grow_keys(there, bit_width(there.entries + (end - begin)))
    for e in range(begin, end):
        arena.edges[e].to = <u32> base + place_of(there, arena.batch[e - begin])
    return True


cdef Outcome take_branches(Branches branches, const Layer* layer, u64 key, Arena* arena, size_t* edges,
                           size_t placed) except FAILED nogil:
    """The edges of one node under joker rules."""
    cdef size_t i, count
    branches.found.clear()
    branches.expand(layer, key)
    count = branches.found.size()
    if edges[0] + count > arena.edge_room and room_for(arena, 0, edges[0] + count) == TOO_LARGE:
        return TOO_LARGE
    if edges[0] - placed + count > arena.batch_room:
        arena.batch_room = 2 * (edges[0] - placed + count)
        arena.batch = <u64*> realloc(arena.batch, arena.batch_room * sizeof(u64))
        if arena.batch == NULL:
            raise MemoryError()
    for i in range(count):
        arena.batch[edges[0] - placed] = branches.found[i].key
        arena.edges[edges[0]].what = branches.found[i].what
        edges[0] += 1
    return DONE


cdef bint expand(Plan* plan, const Layer* layer, Tally tally, u64 key, const Keys* there, Arena* arena, size_t* edges,
                 size_t placed) except -1 nogil:
    """Add the edges of one node, in order: by choice, by jokers in the groups, then by state.

    Where they lead to is left in `batch`, and looked up when the processor had time to fetch the slots.
    """
    cdef int slack_at = 4 * plan.state_bits, class_at = slack_at + SLACK_BITS, tally_at = class_at + CLASS_BITS
    cdef Frontier f = frontier_of(plan, layer, key)
    cdef u32 tracked = <u32> f.tally, t
    cdef const LiveStep *step = steps_of(plan, layer, f.state)
    cdef const LiveStep *end = steps_end(plan, layer, f.state)
    cdef const LiveStep *alike
    cdef Edge* edge = arena.edges + edges[0]
    cdef u64* batch = arena.batch + (edges[0] - placed)
    cdef u64 following
    cdef int after, jokers, i
    while step != end:
        after = layer.next[f.cls][step.g]
        if not layer.last:
            if step.cost <= f.slack and after >= 0:
                t = tally_step(tally, tracked, layer, step.used, step.b) if tally.on else 0
                following = f.rest + step.change + (<u64> after << class_at) + (<u64> t << tally_at)
                prefetch(&there.slots[slot_of(there, following)])
                batch[0] = following
                edge.what = plain(step.step, 0, 0)
                batch += 1
                edge += 1
            step += 1
            continue
        alike = step            # steps of one choice: the jokers in groups come before their states in the order
        while alike != end and same_choice(plan.automata, alike, step):
            alike += 1
        for jokers in range(f.slack + 1 if after >= 0 else 0):
            if not layer.groups.ways[after][jokers]:
                continue
            for i in range(alike - step):
                if step[i].cost + jokers > f.slack:
                    continue
                t = 0
                if tally.on:
                    t = tally_step(tally, tracked, layer, step[i].used, step[i].b)
                    t = tally_groups(tally, t, layer, jokers)
                following = f.rest + step[i].change - (<u64> jokers << slack_at) + (<u64> t << tally_at)
                prefetch(&there.slots[slot_of(there, following)])
                batch[0] = following
                edge.what = plain(step[i].step, jokers, after)
                batch += 1
                edge += 1
        step = alike
    edges[0] = edge - arena.edges
    return True


cdef bint count_backwards(const Graph* d, Arena* arena, const size_t* base) noexcept nogil:
    """Fill `below`. False where a count does not fit."""
    cdef int i
    cdef size_t n
    cdef u32 e
    cdef u128 part, total
    cdef bint over = False
    cdef const Edge* edge
    for i in range(d.layers - 1, -1, -1):
        for n in range(base[i], base[i + 1]):
            total = 0
            for e in range(arena.first[n], arena.first[n + 1]):
                edge = &arena.edges[e]
                part = arena.below[edge.to]
                if part:
                    over |= mul_over(part, <u128> edge_details(d, &d.layer[i], edge), &part)
                    over |= add_over(total, part, &total)
            arena.below[n] = total
    return not over


cdef bint keep(Graph* d, Arena* arena, const size_t* base) except -1 nogil:
    """Drop the edges that lead nowhere and hand the rest over."""
    cdef size_t nodes = base[d.layers + 1], n
    cdef u32 e, kept = 0, begin
    cdef int i
    for n in range(nodes):
        begin = kept
        for e in range(arena.first[n], arena.first[n + 1]):
            if arena.below[arena.edges[e].to]:
                arena.edges[kept] = arena.edges[e]
                kept += 1
        arena.first[n] = begin
    arena.first[nodes] = kept
    for i in range(d.layers + 2):
        d.base[i] = <u32> base[i]
    d.count = arena.below[0]
    d.first = <u32*> handed(<void**> &arena.first, (nodes + 1) * sizeof(u32))
    d.below = <u128*> handed(<void**> &arena.below, nodes * sizeof(u128))
    d.edges = <Edge*> handed(<void**> &arena.edges, (kept + 1) * sizeof(Edge))
    if arena.first == NULL or arena.below == NULL:
        arena.node_room = 0
    if arena.edges == NULL:
        arena.edge_room = 0
    if d.first == NULL or d.below == NULL or d.edges == NULL:
        raise MemoryError()
    return True


cdef void* handed(void** memory, size_t size) noexcept nogil:
    """A copy of the first `size` bytes; of much memory the thing itself, cut to size, and `memory` becomes NULL."""
    cdef void* given
    if size < <size_t> 1 << 19:
        given = malloc(size)
        if given != NULL:
            memcpy(given, memory[0], size)
        return given
    given = realloc(memory[0], size)
    memory[0] = NULL
    return given


cdef bint adopt(Arena* arena, const Graph* d) noexcept:
    """Take the memory of a graph that nobody needs any more, where the arena has handed its own over."""
    if arena.edges != NULL or arena.first != NULL or arena.below != NULL or d.edges == NULL:
        return False
    arena.edges = d.edges
    arena.first = d.first
    arena.below = d.below
    arena.edge_room = d.first[d.base[d.layers + 1]] + 1
    arena.node_room = d.base[d.layers + 1]
    return True


cdef bint keep_details(Graph* d, Branches branches) except -1 nogil:
    cdef size_t size = branches.details.size() * sizeof(Detail), picks = branches.monitor.picks.size() * sizeof(u16)
    d.details = <Detail*> malloc(size + 1)
    d.picks = <u16*> malloc(picks + 1)
    if d.details == NULL or d.picks == NULL:
        raise MemoryError()
    if size:                    # a vector that never held anything has no data
        memcpy(d.details, branches.details.data(), size)
    if picks:
        memcpy(d.picks, branches.monitor.picks.data(), picks)
    return True


cdef list idle = []             # arenas that no thread uses; appended and popped under the GIL


cdef Diagram build_diagram(const Problem* problem, Tables tables, const Objective* objective=NULL,
                           i64 ceiling=UNKNOWN_COST):
    cdef DiagramArena arena = idle.pop() if idle else DiagramArena()
    cdef Diagram d = Diagram()
    cdef Costs costs = None
    cdef u32 codes[MAX_SETS]
    cdef int count
    cdef Outcome outcome = DONE
    d.tables = tables
    d.graph.automata = &tables.automata
    d.problem = problem[0]
    if objective != NULL:
        costs = Costs(Bounds(tables))
        costs.bounds.reset(&d.problem, objective)
        costs.ceiling = ceiling
        if ceiling == UNKNOWN_COST:
            if problem.threshold:
                costs.ceiling = IMPOSSIBLE
            elif problem.joker_rules == NULL:
                count = best_arrangement(problem, tables, objective, codes)
                if count < 0:
                    return d
                costs.ceiling = costs.bounds.cost_of(codes, count)
            elif best_by_branches(problem, tables, objective, codes, &costs.ceiling) == -1:
                return d
    with nogil:
        if prepare(&d.problem, &tables.automata, &arena.arena.plan):
            if d.problem.joker_rules != NULL:
                arena.branches.reset(&arena.arena.plan)
            else:
                arena.tally.reset(&arena.arena.plan)
            outcome = build(&d.graph, &arena.arena, arena.tally, arena.branches, costs)
            arena.branches.clear()
    if outcome != TOO_LARGE:        # else the arena has grown, and is given up
        idle.append(arena)
    raise_outcome(outcome, problem.stop, "moves")
    d.problem.stop = NULL           # it was for the build
    if d.graph.count:
        d.nodes = d.graph.base[d.graph.layers + 1]
        d.bytes = d.nodes * (sizeof(u32) + sizeof(u128)) + d.graph.first[d.nodes] * sizeof(Edge)
    return d


cdef int best_of(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2:
    cdef i64 cost
    cdef int count
    cdef Walk walk
    cdef Diagram d
    if problem.joker_rules == NULL:
        return best_arrangement(problem, tables, objective, codes)
    count = best_by_branches(problem, tables, objective, codes, &cost)
    if count != GAVE_UP:
        return count
    if cost < IMPOSSIBLE:
        d = build_diagram(problem, tables, objective, cost)
    else:
        d = build_diagram(problem, tables)
    rank = d.best_rank(objective)
    if rank is None:
        return -1
    walk = Walk(d)
    walk.seek(from_python(rank))
    memcpy(codes, walk.sets, walk.count * sizeof(u32))
    return walk.count


cdef class Diagram:
    def __dealloc__(self):
        if self.bytes > KEPT_BYTES or not idle or not adopt(&(<DiagramArena> idle[len(idle) - 1]).arena, &self.graph):
            free(self.graph.first)
            free(self.graph.below)
            free(self.graph.edges)
        free(self.graph.details)
        free(self.graph.picks)

    cdef u64 edges(self) noexcept:
        return self.graph.first[self.nodes] if self.graph.count else 0

    cdef object best_rank(self, const Objective* objective):
        cdef const Graph* d = &self.graph
        cdef i64* gain
        cdef u128 rank = 0
        cdef u32 node = 0, e
        cdef int i
        if not d.count:
            return None
        gain = <i64*> malloc(self.nodes * sizeof(i64))
        if gain == NULL:
            raise MemoryError()
        with nogil:
            find_gains(d, objective, gain)
            for i in range(d.layers):
                e = d.first[node]
                while gain[d.edges[e].to] + edge_gain(d, i, &d.edges[e], objective) != gain[node]:
                    rank += d.below[d.edges[e].to] * edge_details(d, &d.layer[i], &d.edges[e])
                    e += 1
                node = d.edges[e].to
        free(gain)
        return to_python(rank)


cdef void find_gains(const Graph* d, const Objective* objective, i64* gain) noexcept nogil:
    """gain[node]: the most that is gained from the node on."""
    cdef int i
    cdef u32 n, e
    cdef i64 here
    for n in range(d.base[d.layers], d.base[d.layers + 1]):
        gain[n] = 0
    for i in range(d.layers - 1, -1, -1):
        for n in range(d.base[i], d.base[i + 1]):
            gain[n] = 0
            for e in range(d.first[n], d.first[n + 1]):
                here = gain[d.edges[e].to] + edge_gain(d, i, &d.edges[e], objective)
                if e == d.first[n] or here > gain[n]:
                    gain[n] = here


cdef i64 edge_gain(const Graph* d, int layer, const Edge* edge, const Objective* objective) noexcept nogil:
    cdef const DiagramLayer* at = &d.layer[layer]
    cdef const Step* step = edge_step(d, edge)
    cdef i64 gain = (step.r + step.g - at.must) * objective.tile[at.colour][at.number]
    return gain + (step.b + (jokers_in(edge.what, d.details) if at.last else 0)) * objective.joker


# ---------------------------------------------------------------- walking

cdef class Walk:
    def __cinit__(self, Diagram diagram):
        self.diagram = diagram
        self.graph = &diagram.graph
        self.count = 0

    cdef void seek(self, u128 rank) noexcept nogil:
        cdef const Graph* d = self.graph
        cdef u32 node = 0, e, details = 0
        cdef u128 below = 0
        cdef int i
        for i in range(d.layers):
            e = d.first[node]
            while True:
                details = edge_details(d, &d.layer[i], &d.edges[e])
                below = d.below[d.edges[e].to]
                if rank < below * details:
                    break
                rank -= below * details
                e += 1
            self.place[i].node = node
            self.place[i].edge = e
            self.place[i].details = details
            self.place[i].detail = 0
            if details > 1:
                self.place[i].detail = <u32> (rank / below)
                rank -= below * self.place[i].detail
            self.take(i)
            node = d.edges[e].to
        self.count = self.place[d.layers - 1].sets if d.layers else 0

    cdef bint advance(self) noexcept nogil:
        cdef const Graph* d = self.graph
        cdef int i = d.layers - 1
        cdef Place* place
        while i >= 0:
            place = &self.place[i]
            if place.detail + 1 < place.details:
                place.detail += 1
                break
            if place.edge + 1 < d.first[place.node + 1]:
                place.edge += 1
                place.detail = 0
                place.details = edge_details(d, &d.layer[i], &d.edges[place.edge])
                break
            i -= 1
        if i < 0:
            return False
        self.take(i)
        self.descend(i + 1)
        return True

    cdef void descend(self, int layer) noexcept nogil:
        """The first completion from this layer on."""
        cdef const Graph* d = self.graph
        cdef Place* place
        cdef int i
        for i in range(layer, d.layers):
            place = &self.place[i]
            place.node = d.edges[self.place[i - 1].edge].to if i else 0
            place.edge = d.first[place.node]
            place.detail = 0
            place.details = edge_details(d, &d.layer[i], &d.edges[place.edge])
            self.take(i)
        self.count = self.place[d.layers - 1].sets if d.layers else 0

    cdef void take(self, int layer) noexcept nogil:
        """Do what `edge` and `detail` of the layer say: open runs grow, finished sets are added."""
        cdef const Graph* d = self.graph
        cdef const DiagramLayer* at = &d.layer[layer]
        cdef Place* place = &self.place[layer]
        cdef const OpenRun* before = NULL
        cdef const Edge* edge = &d.edges[place.edge]
        cdef const Step* step = edge_step(d, edge)
        cdef u32 layouts = edge_layouts(d, at, edge)
        cdef u32 chosen = place.detail, layout = 0
        cdef int sets = self.place[layer - 1].sets if layer else 0
        if layouts != 1:
            chosen = place.detail // layouts
            layout = place.detail % layouts
        chosen = way_in(edge.what, d.details, d.picks, chosen)
        layout = layout_in(edge.what, d.details, d.picks, layout)
        if at.previous >= 0:
            before = self.place[at.previous].run
        place.given = step.g
        sets = take_way(d.automata, d.automata.ways + step.way + chosen, at.colour, at.number,
                        before, place.run, &place.runs, self.sets, sets)
        if at.last:
            sets = lay_groups(d.automata, at.number, self.given_tiles(layer), jokers_in(edge.what, d.details), layout,
                              self.sets, sets)
        place.sets = sets

    cdef int given_tiles(self, int layer) noexcept nogil:
        """What the colours give to the groups of the number of this layer, 2 bits each; the layer is its last."""
        cdef const DiagramLayer* at = &self.graph.layer[0]
        cdef int tiles = 0, i = layer
        while i >= 0 and at[i].number == at[layer].number:
            tiles |= self.place[i].given << 2 * at[i].colour
            i -= 1
        return tiles

    cdef bint find(self, const u32* codes, int count, u128* rank) noexcept nogil:
        """At each layer, the one edge and detail that leave the open runs, and the groups, of these sets."""
        cdef const Graph* d = self.graph
        cdef u32 node = 0, e, detail = 0, details
        cdef int i
        cdef bint found
        rank[0] = 0
        if not d.count:
            return False
        for i in range(d.layers):
            found = False
            for e in range(d.first[node], d.first[node + 1]):
                details = edge_details(d, &d.layer[i], &d.edges[e])
                if self.may_lead(i, &d.edges[e], codes, count):
                    for detail in range(details):
                        self.place[i].node = node
                        self.place[i].edge = e
                        self.place[i].detail = detail
                        self.place[i].details = details
                        self.take(i)
                        if self.matches(i, codes, count):
                            found = True
                            break
                    if found:
                        rank[0] += d.below[d.edges[e].to] * detail
                        node = d.edges[e].to
                        break
                rank[0] += d.below[d.edges[e].to] * details
            if not found:
                return False
        self.count = self.place[d.layers - 1].sets if d.layers else 0
        return same_sets(self.sets, self.count, codes, count)

    cdef bint may_lead(self, int layer, const Edge* edge, const u32* codes, int count) noexcept nogil:
        """Does the step use what the sets use of this colour and number? Cheap, and leaves few edges to try."""
        cdef const DiagramLayer* at = &self.graph.layer[layer]
        cdef const Step* step = edge_step(self.graph, edge)
        cdef int r = 0, g = 0, b = 0, jokers = 0, k, place
        for k in range(count):
            if is_group(codes[k]):
                if set_number(codes[k]) == at.number:
                    g += set_detail(codes[k]) >> (4 + at.colour) & 1
                    jokers += set_detail(codes[k]) & 15
            elif set_colour(codes[k]) == at.colour:
                place = at.number - set_number(codes[k])
                if 0 <= place < set_length(codes[k]):
                    if set_detail(codes[k]) >> place & 1:
                        b += 1
                    else:
                        r += 1
        return (step.r == r and step.g == g and step.b == b
                and (not at.last or jokers_in(edge.what, self.graph.details) == jokers))

    cdef bint matches(self, int layer, const u32* codes, int count) noexcept nogil:
        """Are the open runs after this layer, and what it finished, those of the sets?"""
        cdef const DiagramLayer* at = &self.graph.layer[layer]
        cdef const Place* place = &self.place[layer]
        cdef u32 have[MAX_SETS]
        cdef u32 want[MAX_SETS]
        cdef int haves = 0, wants = 0, k, length
        for k in range(place.runs):
            for _ in range(<int> place.run[k].copies):
                have[haves] = place.run[k].code | OPEN_MARK
                haves += 1
        for k in range(self.place[layer - 1].sets if layer else 0, place.sets):
            have[haves] = self.sets[k]
            haves += 1
        for k in range(count):
            if is_group(codes[k]):
                if not at.last or set_number(codes[k]) != at.number:
                    continue
                want[wants] = codes[k]
            else:
                length = at.number - set_number(codes[k]) + 1
                if set_colour(codes[k]) != at.colour or length < 1 or length > set_length(codes[k]):
                    continue
                if length == set_length(codes[k]):
                    want[wants] = codes[k]
                else:
                    want[wants] = OPEN_MARK | run_code(at.colour, set_number(codes[k]), length,
                                                       set_detail(codes[k]) & ((1u << length) - 1))
            wants += 1
        return same_sets(have, haves, want, wants)


cdef bint same_sets(const u32* a, int na, const u32* b, int nb) noexcept nogil:
    cdef u32 x[MAX_SETS]
    cdef u32 y[MAX_SETS]
    if na != nb:
        return False
    memcpy(x, a, na * sizeof(u32))
    memcpy(y, b, nb * sizeof(u32))
    sort_codes(x, na)
    sort_codes(y, nb)
    return memcmp(x, y, na * sizeof(u32)) == 0
