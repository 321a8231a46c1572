"""See plan.pxd."""

from libc.stdlib cimport free, realloc
from libc.string cimport memset

from meldcore.bits cimport bit_width, lowest, popcount, u64, u8
from meldcore.problem cimport Problem, most_in_groups, most_in_runs
from meldcore.tables cimport MASKABLE, MAX_JOKERS, Automata, Groups, Span, Step, mask_place, r_set, step_span

cdef extern from *:
    """
    // eight bytes, 0 where a bit of x is set and 255 elsewhere
    static inline uint64_t meldcore_dead_bytes(unsigned x) {
        uint64_t spread = (x & 0x7f) * 0x0002040810204081ull & 0x0101010101010101ull;
        return ~((spread | (uint64_t)(x >> 7 & 1) << 56) * 255);
    }
    """
    u64 dead_bytes "meldcore_dead_bytes"(int x) noexcept nogil


cdef double most_frontiers(const Plan* plan) noexcept nogil:
    cdef int n
    cdef double most = 0
    for n in range(1, plan.problem.numbers):
        most = max(most, <double> plan.live[0][n] * plan.live[1][n] * plan.live[2][n] * plan.live[3][n])
    return most


cdef void init_plan(Plan* plan) noexcept nogil:
    memset(plan, 0, sizeof(Plan))


cdef void free_plan(Plan* plan) noexcept nogil:
    free(plan.need)
    free(plan.spent)
    free(plan.steps)
    free(plan.spans)
    init_plan(plan)


cdef bint make_room(Plan* plan, int states) except -1 nogil:
    cdef size_t room
    plan.stride = (states + 7) & ~7
    room = 64 * <size_t> plan.stride
    if room > plan.room:
        plan.need = <u8*> realloc(plan.need, room)
        plan.spent = <u8*> realloc(plan.spent, room)
        if plan.need == NULL or plan.spent == NULL:
            raise MemoryError()
        plan.room = room
    return True


cdef bint prepare(const Problem* problem, const Automata* automata, Plan* plan) except -1 nogil:
    cdef int c, n, vector, given, least
    cdef bint plain
    if problem.threshold > most_value(problem):
        return False
    make_room(plan, automata.states)
    plan.problem = problem
    plan.automata = automata
    plan.slack = problem.jokers
    plan.state_bits = bit_width(automata.states - 1)

    find_places(plan)
    for n in range(1, problem.numbers + 1):
        plain = most_in_groups(problem, n) == 0
        vector = 0
        for c in range(3, -1, -1):
            vector = vector * (automata.copies + 1) + problem.most[c][n]
        given = (automata.plain_givable if plain else automata.givable)[vector]
        vector = 0
        for c in range(3, -1, -1):
            plan.gives[c][n] = given >> 4 * c & 15
            vector = vector * (automata.copies + 1) + bit_width(plan.gives[c][n]) - 1
        plan.vector[n] = vector
        plan.groups[n] = (automata.plain_groups if plain else automata.groups) + vector

    for c in range(4):
        if automata.next_sets != NULL and problem.jokers == 0:
            least = live_without_jokers(plan, c)
        elif automata.states <= MASKABLE:
            least = live_by_masks(plan, c)
        else:
            least = live_by_steps(plan, c)
        if least == DEAD:
            return False
        plan.slack -= least
    if plan.slack < 0:
        return False
    list_layers(plan)
    return True


cdef void find_places(Plan* plan) noexcept nogil:
    cdef const Problem* p = plan.problem
    cdef int c, n
    for c in range(4):
        for n in range(1, p.numbers + 1):
            plan.fewest[c][n] = p.joker_rules.fewest_in_runs[c][n] if p.joker_rules != NULL else 0
            plan.most[c][n] = most_in_runs(p, c, n)


cdef int most_value(const Problem* p) noexcept nogil:
    """What the tiles that count for the threshold could be worth at most."""
    cdef int c, n, value
    value = (p.jokers - p.must_jokers if p.part else p.jokers) * max(p.joker_value, p.value[p.numbers])
    for c in range(4):
        for n in range(1, p.numbers + 1):
            value += p.value[n] * (p.most[c][n] - p.must[c][n] if p.part else p.most[c][n])
    return value


# Each of the three returns the least jokers that the colour takes, or DEAD, and fills need, spent and idle.

cdef int live_without_jokers(Plan* plan, int c) noexcept nogil:
    cdef const Problem* p = plan.problem
    cdef const Automata* a = plan.automata
    cdef u8 allowed[16]
    cdef u8 finish[16]
    cdef int n, live = 1, before
    finish[p.numbers] = 1
    for n in range(p.numbers, 0, -1):
        allowed[n] = r_set(a, p.must[c][n], p.most[c][n], plan.gives[c][n])
        finish[n - 1] = a.previous_sets[allowed[n] << 8 | finish[n]]
    if not finish[0] & 1:
        return DEAD
    (<u64*> states_at(plan.need, plan, c, 0))[0] = dead_bytes(1)
    (<u64*> states_at(plan.spent, plan, c, 0))[0] = dead_bytes(1)
    for n in range(1, p.numbers + 1):
        before = live
        live = a.next_sets[allowed[n] << 8 | live] & finish[n]
        plan.live[c][n] = popcount(live)
        plan.idle[c][n] = (before | live) == 1 and plan.gives[c][n] == 1 and p.must[c][n] == 0
        (<u64*> states_at(plan.need, plan, c, n))[0] = dead_bytes(live)
        (<u64*> states_at(plan.spent, plan, c, n))[0] = dead_bytes(live)
    return 0


cdef int live_by_masks(Plan* plan, int c) noexcept nogil:
    """Sets of states as bit masks: those that finish, and those that are reached, with q jokers and no fewer."""
    cdef const Problem* p = plan.problem
    cdef const Automata* a = plan.automata
    cdef int jokers = p.jokers
    cdef u8 allowed[16]
    cdef u64 finish[16][MAX_JOKERS + 1]
    cdef u64 reached[MAX_JOKERS + 1]
    cdef u64 stepped[MAX_JOKERS + 1]
    cdef u64 seen, found, live, before, both
    cdef int n, q, b, f, least = 0
    cdef u8 *need
    cdef u8 *spent
    for q in range(jokers + 1):
        finish[p.numbers][q] = q == 0
        reached[q] = q == 0
    for n in range(p.numbers, 0, -1):
        allowed[n] = r_set(a, p.must[c][n], p.most[c][n], plan.gives[c][n])
        seen = 0
        for q in range(jokers + 1):
            found = 0
            for b in range(plan.fewest[c][n], min(q, <int> plan.most[c][n]) + 1):
                found |= step_set(a, a.predecessors, finish[n][q - b], allowed[n], b)
            finish[n - 1][q] = found & ~seen
            seen |= found
    while not finish[0][least] & 1:
        least += 1
        if least > jokers:
            return DEAD

    live = 1
    for n in range(p.numbers + 1):
        if n:
            seen = 0
            for q in range(jokers + 1):
                found = 0
                for b in range(plan.fewest[c][n], min(q, <int> plan.most[c][n]) + 1):
                    found |= step_set(a, a.successors, reached[q - b], allowed[n], b)
                stepped[q] = found & ~seen
                seen |= found
            for q in range(jokers + 1):
                reached[q] = stepped[q]
        need = states_at(plan.need, plan, c, n)
        spent = states_at(plan.spent, plan, c, n)
        memset(need, DEAD, plan.stride)
        memset(spent, DEAD, plan.stride)
        before = live
        live = 0
        for f in range(jokers + 1):
            found = 0
            for q in range(jokers - f + 1):
                both = reached[f] & finish[n][q]
                found |= both
                while both:
                    need[lowest(both)] = q
                    spent[lowest(both)] = f + q - least
                    both &= both - 1
            reached[f] = found
            live |= found
        plan.live[c][n] = popcount(live)
        plan.idle[c][n] = (before | live) == 1 and plan.gives[c][n] == 1 and p.must[c][n] == 0
    return least


cdef inline u64 step_set(const Automata* a, const u64* masks, u64 members, int allowed, int b) noexcept nogil:
    cdef u64 found = 0
    masks += mask_place(a, 0, allowed, b)
    while members:
        found |= masks[lowest(members)]
        members &= members - 1
    return found


cdef inline bint is_allowed(const Plan* plan, int colour, int number, const Step* step) noexcept nogil:
    return (plan.gives[colour][number] >> step.g & 1
            and plan.fewest[colour][number] <= step.b <= plan.most[colour][number])


cdef int live_by_steps(Plan* plan, int c) noexcept nogil:
    """The same for automata too large for masks, state by state."""
    cdef const Problem* p = plan.problem
    cdef const Automata* a = plan.automata
    cdef int n, s, k, cost, least
    cdef const Step* step
    cdef u8 *need
    cdef u8 *after
    cdef u8 *reached
    cdef bint quiet
    memset(states_at(plan.need, plan, c, 0), DEAD, 16 * plan.stride)
    memset(states_at(plan.spent, plan, c, 0), DEAD, 16 * plan.stride)
    states_at(plan.need, plan, c, p.numbers)[0] = 0
    states_at(plan.spent, plan, c, 0)[0] = 0
    for n in range(p.numbers, 0, -1):
        need = states_at(plan.need, plan, c, n - 1)
        after = states_at(plan.need, plan, c, n)
        for s in range(a.states):
            step = a.steps + step_span(a, p.must[c][n], p.most[c][n], p.most[c][n], s).first
            for k in range(step_span(a, p.must[c][n], p.most[c][n], p.most[c][n], s).count):
                cost = after[step[k].to] + step[k].b
                if is_allowed(plan, c, n, &step[k]) and cost <= p.jokers and cost < need[s]:
                    need[s] = cost
    least = states_at(plan.need, plan, c, 0)[0]
    if least == DEAD:
        return DEAD
    for n in range(1, p.numbers + 1):       # `spent` holds the jokers used so far until the whole row is known
        reached = states_at(plan.spent, plan, c, n - 1)
        after = states_at(plan.spent, plan, c, n)
        for s in range(a.states):
            if reached[s] == DEAD:
                continue
            step = a.steps + step_span(a, p.must[c][n], p.most[c][n], p.most[c][n], s).first
            for k in range(step_span(a, p.must[c][n], p.most[c][n], p.most[c][n], s).count):
                cost = reached[s] + step[k].b
                need = states_at(plan.need, plan, c, n)
                if not is_allowed(plan, c, n, &step[k]) or cost + need[step[k].to] > p.jokers:
                    continue
                after[step[k].to] = min(after[step[k].to], <u8> cost)
    for n in range(p.numbers + 1):
        need = states_at(plan.need, plan, c, n)
        after = states_at(plan.spent, plan, c, n)
        quiet = n > 0
        plan.live[c][n] = 0
        for s in range(a.states):
            if after[s] == DEAD:
                need[s] = DEAD
            else:
                after[s] += need[s] - least
                plan.live[c][n] += 1
                quiet = quiet and s == 0
        plan.idle[c][n] = quiet and plan.gives[c][n] == 1 and p.must[c][n] == 0
    for n in range(p.numbers, 0, -1):       # idle needs state 0 alone before the number too
        if plan.idle[c][n] and n > 1:
            for s in range(1, a.states):
                if states_at(plan.need, plan, c, n - 1)[s] != DEAD:
                    plan.idle[c][n] = False
    return least


cdef bint list_layers(Plan* plan) except -1 nogil:
    cdef const Problem* p = plan.problem
    cdef const Groups* groups
    cdef int n, c
    plan.layers = 0
    plan.step_count = 0
    plan.span_count = 0
    for n in range(1, p.numbers + 1):
        groups = plan.groups[n]
        for c in range(4):
            if not p.part and is_quiet(plan, c, n, groups, c):
                continue
            fill_layer(plan, &plan.layer[plan.layers], c, n, groups, c)
            plan.layers += 1
    if p.lay and p.jokers == p.must_jokers:
        for n in range(plan.layers - 1, -1, -1):
            plan.layer[n].too_late = True
            if plan.layer[n].most > plan.layer[n].must:
                break
    return True


cdef bint fill_layer(Plan* plan, Layer* layer, int colour, int number, const Groups* groups, int place) except -1 nogil:
    cdef const Problem* p = plan.problem
    cdef const Automata* a = plan.automata
    layer.number = number
    layer.colour = colour
    layer.value = p.value[number]
    layer.must = p.must[colour][number]
    layer.most = p.most[colour][number]
    layer.shift = colour * plan.state_bits
    layer.last = place == 3
    layer.groups = groups
    layer.next = groups.next[place]
    layer.apart = False
    layer.too_late = False
    layer.steps = plan.span_count
    plan.span_count += a.states
    if plan.span_count > plan.span_room:
        plan.span_room = 2 * <size_t> plan.span_count
        plan.spans = <Span*> realloc(plan.spans, plan.span_room * sizeof(Span))
        if plan.spans == NULL:
            raise MemoryError()
    memset(plan.spans + layer.steps, 255, a.states * sizeof(Span))
    return True


cdef bint find_steps(Plan* plan, const Layer* layer, int state) except -1 nogil:
    cdef const Automata* a = plan.automata
    cdef const u8* after = states_at(plan.need, plan, layer.colour, layer.number)
    cdef int before = states_at(plan.need, plan, layer.colour, layer.number - 1)[state]
    cdef int gives = plan.gives[layer.colour][layer.number], cost
    cdef Span span = step_span(a, layer.must, layer.most, bit_width(gives) - 1, state)
    cdef const Step *step = a.steps + span.first
    cdef const Step *end = step + span.count
    cdef LiveStep* live
    if plan.step_count + span.count + 1 > plan.step_room:
        plan.step_room = 2 * (plan.step_count + span.count + 1)
        plan.steps = <LiveStep*> realloc(plan.steps, plan.step_room * sizeof(LiveStep))
        if plan.steps == NULL:
            raise MemoryError()
    live = plan.steps + plan.step_count
    while step != end and step.b <= before + plan.slack:
        cost = step.b + after[step.to] - before
        if cost <= plan.slack and is_allowed(plan, layer.colour, layer.number, step):
            live[0] = LiveStep((<u64> step.to << layer.shift) - (<u64> cost << 4 * plan.state_bits),
                               <u32> (step - a.steps), step.ways, step.to, cost, step.b, step.g, step.r + step.g)
            live += 1
        step += 1
    plan.spans[layer.steps + state] = Span(plan.step_count, <u32> (live - plan.steps) - plan.step_count)
    plan.step_count = <u32> (live - plan.steps)
    return True
