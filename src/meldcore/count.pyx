"""Exact count of all arrangements that solve a problem: a sweep over numbers and colours that keeps no history.

A frontier (plan.pxd) says all that the rest of the sweep needs; arrangements that share one are added up. Small sets of
frontiers are a hashed list. Large ones are a matrix: rows are the states of two colours, columns those of the other
two, and a colour's step adds multiples of rows to rows, long contiguous loops. Rows and columns are sorted by the
jokers that they have spent, so that what the jokers cannot pay for is not stored.

Counts are 64 bits wide as long as a bound (the matrix) or a check (the list) shows that they fit, else 128. What does
not fit there either is an error, never a wrong number.
"""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from meldcore.bits cimport add_over, bit_width, i8, mul_over, to_python, u8, u16, u32, u64, u128
from meldcore.keys cimport Keys, clear_keys, free_keys, grow_keys, place_of
from meldcore.monitor cimport NO_NODE, Fate, Fates, Monitor, fates_of_groups, fates_of_step, is_payable, is_quiet_at
from meldcore.outcome cimport DONE, FAILED, STOPPED, TOO_LARGE, TOO_WIDE, Outcome, raise_outcome
from meldcore.plan cimport (
    CLASS_BITS, DEAD, SLACK_BITS, Frontier, Layer, LiveStep, Plan, fill_layer, free_plan, frontier_of, init_plan,
    is_live, is_quiet, most_frontiers, next_class, prepare, slack_of, states_at, steps_end, steps_of,
)
from meldcore.problem cimport Problem, Work
from meldcore.stop cimport is_due, now
from meldcore.tables cimport MAX_CLASSES, MAX_JOKERS, MAX_STATES, Automata, Groups, Tables
from meldcore.tally cimport Tally, tally_accepts, tally_groups, tally_step

cdef extern from *:
    """
    // How some rows of a matrix move to others: row[i] to to[i], where they and the rows to come have spent[i] and
    // to_spent[i]. upto[k] is the number of columns that have spent less than k.
    struct meldcore_Shift {
        const uint32_t *row, *to;
        const uint8_t *spent, *to_spent;
        int rows;
        const int *upto;
    };
    // Add `ways` times the rows below `height` that are in use; rows of the target that are not hold rubbish yet.
    // `room` and `to_room` are one more than columns of these rows may have spent.
    template <class V>
    static inline __attribute__((always_inline)) void meldcore_rows(
        const meldcore_Shift &m, V *target, uint8_t *to_used, int to_room, const V *source, const uint8_t *used,
        int room, uint32_t height, V ways) {
        const size_t width = m.upto[room], to_width = m.upto[to_room];
        for (int k = 0; k < m.rows && m.row[k] < height; k++) {
            if (!used[m.row[k]]) continue;
            V *__restrict d = target + m.to[k] * to_width;
            const V *__restrict s = source + m.row[k] * width;
            const int n = m.upto[room - m.spent[k]];
            if (to_used[m.to[k]]) {
                if (ways == 1) for (int i = 0; i < n; i++) d[i] += s[i];
                else for (int i = 0; i < n; i++) d[i] += s[i] * ways;
            } else {
                to_used[m.to[k]] = 1;
                if (ways == 1) for (int i = 0; i < n; i++) d[i] = s[i];
                else for (int i = 0; i < n; i++) d[i] = s[i] * ways;
                for (int i = n; i < m.upto[to_room - m.to_spent[k]]; i++) d[i] = 0;
            }
        }
    }
    #if defined(__x86_64__) && defined(__GNUC__)
    template <class V>
    static __attribute__((target("avx2"))) void meldcore_rows_wide(
        const meldcore_Shift &m, V *target, uint8_t *to_used, int to_room, const V *source, const uint8_t *used,
        int room, uint32_t height, V ways) {
        meldcore_rows(m, target, to_used, to_room, source, used, room, height, ways);
    }
    static const bool meldcore_wide = __builtin_cpu_supports("avx2");
    #else
    #define meldcore_rows_wide meldcore_rows
    static const bool meldcore_wide = false;
    #endif
    template <class V>
    static inline void meldcore_add_rows(
        const meldcore_Shift *m, V *target, uint8_t *to_used, int to_room, const V *source, const uint8_t *used,
        int room, uint32_t height, V ways) {
        if (meldcore_wide) meldcore_rows_wide(*m, target, to_used, to_room, source, used, room, height, ways);
        else meldcore_rows(*m, target, to_used, to_room, source, used, room, height, ways);
    }
    """
    cdef struct Shift "meldcore_Shift":
        const u32* row
        const u32* to
        const u8* spent
        const u8* to_spent
        int rows
        const int* upto

    void add_rows "meldcore_add_rows"(const Shift* shift, u64* target, u8* to_used, int to_room, const u64* source,
                                      const u8* used, int room, u32 height, u64 ways) noexcept nogil
    void add_rows "meldcore_add_rows"(const Shift* shift, u128* target, u8* to_used, int to_room, const u128* source,
                                      const u8* used, int room, u32 height, u128 ways) noexcept nogil

ctypedef fused Count:
    u64
    u128

cdef enum:
    LIST_LIMIT = 256                # most frontiers (by a bound) for which the list is faster; twice that with slack
    MATRIX_BYTES = 100 << 20        # most room for one of the two matrices
    LIST_BYTES = 110 << 20          # likewise for one of the two lists


# ---------------------------------------------------------------- frontiers as a hashed list

cdef struct List:
    Keys keys
    void* counts                    # two of each key: all arrangements, and those that use the table's tiles alone


cdef bint grow_list(List* l, int room_bits) except -1 nogil:
    grow_keys(&l.keys, room_bits)
    l.counts = realloc(l.counts, 2 * l.keys.room * sizeof(u128))
    if l.counts == NULL:
        raise MemoryError()
    return True


cdef inline bint add_to_list(List* l, u64 key, Count count, Count bare) noexcept nogil:
    """True when a count does not fit. There has to be room for one more entry."""
    cdef u32 before = l.keys.entries
    cdef u32 i = place_of(&l.keys, key)
    cdef Count* counts = <Count*> l.counts + 2 * <size_t> i
    if i == before:
        counts[0] = count
        counts[1] = bare
        return False
    counts[1] += bare
    return add_over(counts[0], count, &counts[0])


cdef inline Outcome put(List* l, u64 key, Count count, Count bare) except FAILED nogil:
    """Add to a list that makes room for itself."""
    if l.keys.entries == l.keys.room:
        if l.keys.room * <size_t> 88 > LIST_BYTES:
            return TOO_LARGE
        grow_list(l, bit_width(l.keys.room))
    return TOO_WIDE if add_to_list[Count](l, key, count, bare) else DONE


cdef inline bint make_room(List* l, u32 entries) except -1 nogil:
    """For so many more; False where they would take too much memory."""
    if l.keys.entries + entries > l.keys.room:
        if l.keys.room * <size_t> 88 > LIST_BYTES:
            return False
        grow_list(l, bit_width(l.keys.room + entries))
    return True


cdef inline bint spread(Plan* plan, const Layer* layer, const Frontier* f, const LiveStep* step, const LiveStep* end,
                        u64 beside, Count count, Count bare, Monitor monitor, List* there) noexcept nogil:
    """Add what a frontier leads to, with the same tally. True when a count does not fit. There has to be room.

    monitor: whose node is in the tally; None, and a constant, where there are no joker rules.
    """
    cdef int slack_at = 4 * plan.state_bits, class_at = slack_at + SLACK_BITS, jokers, ways
    cdef u64 following, key
    cdef Count more
    cdef const i8* class_after = layer.next[f.cls]
    cdef const u16* ways_of_groups
    cdef bint over = False
    while step != end:
        if step.cost <= f.slack and class_after[step.g] >= 0:
            following = f.rest + step.change | beside
            if not layer.last:
                following |= <u64> class_after[step.g] << class_at
                if monitor is None or is_payable(monitor, <u32> f.tally, layer, following):
                    over |= mul_over(count, <Count> step.ways, &more)
                    over |= add_to_list[Count](there, following, more,
                                               bare * step.ways if step.used == layer.must else 0)
            else:
                ways_of_groups = layer.groups.ways[class_after[step.g]]
                for jokers in range(f.slack - step.cost + 1):
                    if ways_of_groups[jokers]:
                        ways = step.ways * ways_of_groups[jokers]
                        key = following - (<u64> jokers << slack_at)
                        if monitor is None or is_payable(monitor, <u32> f.tally, layer, key):
                            over |= mul_over(count, <Count> ways, &more)
                            over |= add_to_list[Count](there, key, more, bare * ways if step.used == layer.must else 0)
        step += 1
    return over


cdef Outcome sweep_list(Plan* plan, Tally tally, bint tracks, List* here, List* there,
                        Count* total) except FAILED nogil:
    """`tracks`: the tally is on; a constant, so that the loop is made for both. It then decides whether something has
    to be laid; otherwise the arrangements that use only the table's tiles are counted beside, and taken off.
    """
    cdef int slack_at = 4 * plan.state_bits, class_at = slack_at + SLACK_BITS, tally_at = class_at + CLASS_BITS
    cdef u64 key, following
    cdef Frontier f
    cdef Count count, bare, more, unit = 1
    cdef const Layer* layer
    cdef const LiveStep *step
    cdef const LiveStep *end
    cdef const i8* class_after
    cdef const u16* ways_of_groups
    cdef List* swap
    cdef int i, jokers
    cdef u32 e, t, widest = plan.automata.most_steps * (plan.slack + 1)     # entries that one can make
    cdef bint over = False, late
    clear_keys(&here.keys)
    over = add_to_list[Count](here, <u64> plan.slack << slack_at, unit, unit)
    for i in range(plan.layers):
        layer = &plan.layer[i]
        late = i > 0 and plan.layer[i - 1].too_late
        clear_keys(&there.keys)
        for e in range(here.keys.entries):
            key = here.keys.keys[e]
            count = (<Count*> here.counts)[2 * e]
            bare = (<Count*> here.counts)[2 * e + 1]
            if not tracks and late and count == bare:
                continue
            f = frontier_of(plan, layer, key)
            step = steps_of(plan, layer, f.state)
            end = steps_end(plan, layer, f.state)
            if not make_room(there, widest):
                return TOO_LARGE
            if e & 1023 == 1023 and is_due(plan.problem.stop):
                return STOPPED
            if not tracks:
                over |= spread[Count](plan, layer, &f, step, end, 0, count, bare, None, there)
                continue
            if tally.part and tally.is_full():
                return TOO_LARGE
            class_after = layer.next[f.cls]
            while step != end:
                if step.cost <= f.slack and class_after[step.g] >= 0:
                    following = f.rest + step.change
                    t = tally_step(tally, <u32> f.tally, layer, step.used, step.b)
                    if not layer.last:
                        over |= mul_over(count, <Count> step.ways, &more)
                        over |= add_to_list[Count](there, following + (<u64> class_after[step.g] << class_at)
                                                   | <u64> t << tally_at, more, 0)
                    else:
                        ways_of_groups = layer.groups.ways[class_after[step.g]]
                        for jokers in range(f.slack - step.cost + 1):
                            if ways_of_groups[jokers]:
                                over |= mul_over(count, <Count> step.ways * ways_of_groups[jokers], &more)
                                key = following - (<u64> jokers << slack_at)
                                key |= <u64> tally_groups(tally, t, layer, jokers) << tally_at
                                over |= add_to_list[Count](there, key, more, 0)
                step += 1
        if over:
            return TOO_WIDE
        if plan.problem.work != NULL:
            plan.problem.work.frontiers += there.keys.entries
        swap = here
        here = there
        there = swap
    total[0] = 0
    for e in range(here.keys.entries):
        key = here.keys.keys[e]
        jokers = plan.problem.jokers - slack_of(plan, key)
        count = (<Count*> here.counts)[2 * e]
        if tracks:
            if not tally_accepts(tally, <u32> (key >> tally_at), jokers):
                continue
        elif jokers < plan.problem.must_jokers:
            continue
        elif plan.problem.lay and jokers == plan.problem.must_jokers:
            count -= (<Count*> here.counts)[2 * e + 1]
        over |= add_over(total[0], count, total)
    return TOO_WIDE if over else DONE


cdef Outcome sweep_watched(Plan* plan, Monitor monitor, List* here, List* there, Count* total) except FAILED nogil:
    """The list under joker rules: the key also says what can still justify where the jokers lie (monitor.pxd)."""
    cdef int slack_at = 4 * plan.state_bits, class_at = slack_at + SLACK_BITS, node_at = class_at + CLASS_BITS
    cdef u64 key, following
    cdef Frontier f
    cdef Count count, bare, more, more_bare, most, unit = 1
    cdef const Layer* layer
    cdef const LiveStep *step
    cdef const LiveStep *end
    cdef Fates ways, layouts
    cdef Fate fate, last_fate
    cdef List* swap
    cdef Outcome added
    cdef int i, jokers
    cdef u32 e, w, k, node, widest = plan.automata.most_steps * (plan.slack + 1)     # entries that one can make
    cdef bint over = False, late
    total[0] = 0
    clear_keys(&here.keys)
    if monitor.start != NO_NODE:
        add_to_list[Count](here, <u64> plan.slack << slack_at | <u64> monitor.start << node_at, unit, unit)
    for i in range(plan.layers):
        layer = &plan.layer[i]
        late = i > 0 and plan.layer[i - 1].too_late
        clear_keys(&there.keys)
        for e in range(here.keys.entries):
            key = here.keys.keys[e]
            count = (<Count*> here.counts)[2 * e]
            bare = (<Count*> here.counts)[2 * e + 1]
            if late and count == bare:
                continue
            f = frontier_of(plan, layer, key)
            node = <u32> f.tally
            step = steps_of(plan, layer, f.state)
            end = steps_end(plan, layer, f.state)
            if is_due(plan.problem.stop):
                return STOPPED
            if monitor.is_full():
                return TOO_LARGE
            if is_quiet_at(monitor, node, layer):
                if not make_room(there, widest):
                    return TOO_LARGE
                over |= spread[Count](plan, layer, &f, step, end, f.tally << node_at, count, bare, monitor, there)
                continue
            while step != end:
                if step.cost > f.slack or next_class(layer, f.cls, step.g) < 0:
                    step += 1
                    continue
                ways = fates_of_step(monitor, node, layer, step)
                for w in range(ways.count):
                    fate = monitor.fates[ways.first + w]
                    following = f.rest + step.change
                    over |= mul_over(count, <Count> fate.picks, &more)
                    more_bare = bare * fate.picks if step.used == layer.must else 0
                    if not layer.last:
                        if is_payable(monitor, fate.node, layer, following):
                            following |= <u64> next_class(layer, f.cls, step.g) << class_at
                            added = put[Count](there, following | <u64> fate.node << node_at, more, more_bare)
                            if added == TOO_LARGE:
                                return TOO_LARGE
                            over |= added == TOO_WIDE
                        continue
                    for jokers in range(f.slack - step.cost + 1):
                        layouts = fates_of_groups(monitor, fate.node, layer, f.cls, step.g, jokers)
                        for k in range(layouts.count):
                            last_fate = monitor.fates[layouts.first + k]
                            following = f.rest + step.change - (<u64> jokers << slack_at)
                            if is_payable(monitor, last_fate.node, layer, following):
                                over |= mul_over(more, <Count> last_fate.picks, &most)
                                added = put[Count](there, following | <u64> last_fate.node << node_at, most,
                                                   more_bare * last_fate.picks)
                                if added == TOO_LARGE:
                                    return TOO_LARGE
                                over |= added == TOO_WIDE
                step += 1
        if over:
            return TOO_WIDE
        if plan.problem.work != NULL:
            plan.problem.work.frontiers += there.keys.entries
        swap = here
        here = there
        there = swap
    for e in range(here.keys.entries):
        key = here.keys.keys[e]
        jokers = plan.problem.jokers - slack_of(plan, key)
        count = (<Count*> here.counts)[2 * e]
        if jokers < plan.problem.must_jokers or not monitor.accepts(<u32> (key >> node_at),
                                                                    jokers - plan.problem.must_jokers):
            continue
        if plan.problem.lay and jokers == plan.problem.must_jokers:
            count -= (<Count*> here.counts)[2 * e + 1]
        over |= add_over(total[0], count, total)
    return TOO_WIDE if over else DONE


# ---------------------------------------------------------------- frontiers as a matrix

cdef struct Pair:                   # states of the two colours of a half
    u16 state[2]
    u8 spent

cdef struct Pairs:                  # those of a half that can occur together, the cheapest first
    Pair* pair
    u32* place                      # [state][state] -> index in `pair`
    int upto[MAX_JOKERS + 2]        # upto[q + 1]: how many have spent at most q; the last one: all

cdef struct Matrix:                 # [class of groups][slack][row][column]
    void* counts
    u8* used                        # of each row: 0, it holds rubbish and counts as zero
    size_t counts_room
    size_t used_room
    size_t counts_at[MAX_JOKERS + 1]    # where a slack begins
    size_t rows_at[MAX_JOKERS + 1]
    size_t counts_of_class
    size_t rows_of_class


cdef void list_pairs(Pairs* pairs, const Plan* plan, int half, int number, int other_number) noexcept nogil:
    """States of colour 2 * half after `number` with states of the next colour after `other_number`."""
    cdef const u8* first = states_at(plan.spent, plan, 2 * half, number)
    cdef const u8* second = states_at(plan.spent, plan, 2 * half + 1, other_number)
    cdef u16 of_first[MAX_STATES]
    cdef u16 of_second[MAX_STATES]
    cdef int q, s, t, i, j, firsts = 0, seconds = 0, n = 0, states = plan.automata.states
    for s in range(states):
        of_first[firsts] = s
        firsts += first[s] != DEAD
        of_second[seconds] = s
        seconds += second[s] != DEAD
    for i in range(firsts):
        for j in range(seconds):
            pairs.place[of_first[i] * states + of_second[j]] = 0    # for pairs that the jokers cannot pay for
    pairs.upto[0] = 0
    for q in range(plan.slack + 1):
        for i in range(firsts):
            s = of_first[i]
            for j in range(seconds):
                t = of_second[j]
                if first[s] + second[t] == q:
                    pairs.place[s * states + t] = n
                    pairs.pair[n] = Pair([s, t], q)
                    n += 1
        pairs.upto[q + 1] = n
    pairs.upto[MAX_JOKERS + 1] = n


cdef Outcome shape_matrix(Matrix* m, const Pairs* rows, const Pairs* columns, int slack, int classes,
                          size_t size, Work* work) except FAILED nogil:
    """Make room; every row unused. With slack k left, rows and columns have spent at most slack - k."""
    cdef int k
    m.counts_of_class = 0
    m.rows_of_class = 0
    for k in range(slack + 1):
        m.counts_at[k] = m.counts_of_class
        m.rows_at[k] = m.rows_of_class
        m.counts_of_class += <size_t> rows.upto[slack - k + 1] * columns.upto[slack - k + 1]
        m.rows_of_class += rows.upto[slack - k + 1]
    if m.counts_of_class * classes * size > MATRIX_BYTES:
        return TOO_LARGE
    if m.counts_of_class * classes * size > m.counts_room:
        m.counts_room = m.counts_of_class * classes * size
        free(m.counts)
        m.counts = malloc(m.counts_room)
    if m.rows_of_class * classes > m.used_room:
        m.used_room = m.rows_of_class * classes
        free(m.used)
        m.used = <u8*> malloc(m.used_room)
    if m.counts == NULL or m.used == NULL:
        m.counts_room = 0
        m.used_room = 0
        raise MemoryError()
    memset(m.used, 0, m.rows_of_class * classes)
    if work != NULL:
        work.cells += m.counts_of_class * classes
    return DONE


cdef inline Count* class_counts(const Matrix* m, int cls, int slack, Count unit) noexcept nogil:
    return <Count*> m.counts + cls * m.counts_of_class + m.counts_at[slack]


cdef inline u8* class_used(const Matrix* m, int cls, int slack) noexcept nogil:
    return m.used + cls * m.rows_of_class + m.rows_at[slack]


cdef void transpose(Matrix* m, Matrix* to, const Pairs* rows, const Pairs* columns, int slack, int classes,
                    Count unit) noexcept nogil:
    """`to` is shaped already. `unit` only chooses the width."""
    cdef int x, k, r, c, height, width, length
    cdef Count* source
    cdef Count* target
    cdef const u8* used
    cdef u8* marks
    cdef Count some
    for x in range(classes):
        for k in range(slack + 1):
            source = class_counts(m, x, k, unit)
            target = class_counts(to, x, k, unit)
            used = class_used(m, x, k)
            marks = class_used(to, x, k)
            height = rows.upto[slack - k + 1]
            width = columns.upto[slack - k + 1]
            for r in range(height):
                if not used[r]:
                    memset(source + <size_t> r * width, 0, width * sizeof(Count))
            for c in range(width):
                some = 0
                length = rows.upto[slack - k - columns.pair[c].spent + 1]
                for r in range(length):
                    target[r] = source[<size_t> r * width + c]
                    some |= target[r]
                for r in range(length, height):
                    target[r] = 0
                marks[c] = some != 0
                target += height


cdef double step_factor(Plan* plan, const Layer* layer, int classes, const Matrix* m, const Pairs* rows,
                        const Pairs* columns, Count* largest) except -1 nogil:
    """The most ways that lead into one entry of the next matrix, and the largest entry of this one."""
    cdef double into[MAX_STATES][MAX_CLASSES]
    cdef double most = 0, ways
    cdef const LiveStep* step
    cdef const Count* row
    cdef int s, x, y, k, r, j, i
    largest[0] = 0
    for x in range(classes):
        for k in range(plan.slack + 1):
            for r in range(rows.upto[plan.slack - k + 1]):
                if class_used(m, x, k)[r]:
                    row = class_counts(m, x, k, largest[0]) + <size_t> r * columns.upto[plan.slack - k + 1]
                    for i in range(columns.upto[plan.slack - k - rows.pair[r].spent + 1]):
                        largest[0] = max(largest[0], row[i])
    memset(into, 0, plan.automata.states * sizeof(into[0]))
    for s in range(plan.automata.states):
        if not is_live(plan, layer.colour, layer.number - 1, s):
            continue
        step = steps_of(plan, layer, s)
        while step != steps_end(plan, layer, s):
            for x in range(classes):
                y = layer.next[x][step.g]
                if y < 0:
                    continue
                ways = step.ways
                if layer.last:
                    k = 0
                    for j in range(plan.problem.jokers + 1):
                        k += layer.groups.ways[y][j]
                    ways *= k
                    y = 0
                into[step.to][y] += ways
                most = max(most, into[step.to][y])
            step += 1
    return most


cdef Outcome sweep_matrix(Plan* plan, Arena* arena, Count* total) except FAILED nogil:
    """The colours of a number are taken half by half, the half in the rows first: one transposition a number."""
    cdef const Problem* p = plan.problem
    cdef const Automata* a = plan.automata
    cdef int slack = plan.slack
    cdef double limit = 9.2e18 if sizeof(Count) == 8 else 1.7e38
    cdef double bound = 1, factor
    cdef Count largest, unit = 1
    cdef Matrix *here = &arena.matrix[0]
    cdef Matrix *there = &arena.matrix[1]
    cdef Matrix *swap
    cdef Pairs *rows
    cdef Pairs *next_rows
    cdef Pairs *columns
    cdef int current[2]                 # which of the two lists of a half is the one in use
    cdef int half = 0                   # the half in the rows
    cdef int order[4]
    cdef Layer layer
    cdef const Layer *at = plan.layer
    cdef const Layer *layers_end = plan.layer + plan.layers
    cdef const Groups* groups
    cdef int n, i, c, classes, next_classes, vector, own
    cdef bint busy[4]
    current[0] = 0
    current[1] = 0
    list_pairs(&arena.pairs[0][0], plan, 0, 0, 0)
    list_pairs(&arena.pairs[1][0], plan, 1, 0, 0)
    if shape_matrix(here, &arena.pairs[0][0], &arena.pairs[1][0], slack, 1, sizeof(Count), p.work) == TOO_LARGE:
        return TOO_LARGE
    (<Count*> here.counts)[here.counts_at[slack]] = 1
    here.used[here.rows_at[slack]] = 1
    for n in range(1, p.numbers + 1):
        if at == layers_end or at.number != n:
            continue
        for i in range(4):
            order[i] = (2 * half + i) & 3 if i < 2 else (2 - 2 * half) + i - 2
        vector = 0
        for i in range(3, -1, -1):
            vector = vector * (a.copies + 1) + bit_width(plan.gives[order[i]][n]) - 1
        groups = &a.groups[vector]
        for i in range(4):
            c = order[i]
            busy[i] = not is_quiet(plan, c, n, groups, i)
        for i in range(4):
            c = order[i]
            own = c & 1
            classes = groups.classes[i]
            next_classes = 1 if i == 3 else groups.classes[i + 1]
            if i == 2:
                if not (busy[2] or busy[3]):
                    break
                rows = &arena.pairs[half][current[half]]
                columns = &arena.pairs[1 - half][current[1 - half]]
                if shape_matrix(there, columns, rows, slack, classes, sizeof(Count), p.work) == TOO_LARGE:
                    return TOO_LARGE
                transpose[Count](here, there, rows, columns, slack, classes, unit)
                swap = here
                here = there
                there = swap
                half = 1 - half
            if not busy[i]:
                continue
            if is_due(p.stop):
                return STOPPED
            fill_layer(plan, &layer, c, n, groups, i)
            rows = &arena.pairs[half][current[half]]
            next_rows = &arena.pairs[half][1 - current[half]]
            columns = &arena.pairs[1 - half][current[1 - half]]
            list_pairs(next_rows, plan, half, n, n if own else n - 1)
            factor = cheap_factor(plan, &layer, classes)
            if bound * factor > limit:
                factor = step_factor[Count](plan, &layer, classes, here, rows, columns, &largest)
                bound = <double> largest
            bound *= factor
            if bound > limit:
                return TOO_WIDE
            if shape_matrix(there, next_rows, columns, slack, next_classes, sizeof(Count), p.work) == TOO_LARGE:
                return TOO_LARGE
            step_matrix[Count](plan, &layer, own, classes, here, there, rows, next_rows, columns, &arena.rows,
                               unit)
            swap = here
            here = there
            there = swap
            current[half] = 1 - current[half]
        while at != layers_end and at.number == n:
            at += 1
    total[0] = 0
    for i in range(slack + 1):
        if p.jokers - i >= p.must_jokers and here.used[here.rows_at[i]]:
            if add_over(total[0], (<Count*> here.counts)[here.counts_at[i]], total):
                return TOO_WIDE
    return DONE


cdef double cheap_factor(Plan* plan, const Layer* layer, int classes) except -1 nogil:
    """An upper bound of step_factor that needs no look at the matrix."""
    cdef const LiveStep* step
    cdef u32 into[MAX_STATES]
    cdef u32 most = 0
    cdef int s
    memset(into, 0, plan.automata.states * sizeof(u32))
    for s in range(plan.automata.states):
        if not is_live(plan, layer.colour, layer.number - 1, s):
            continue
        step = steps_of(plan, layer, s)
        while step != steps_end(plan, layer, s):
            into[step.to] += step.ways
            most = max(most, into[step.to])
            step += 1
    return most * <double> classes * (layer.groups.most_ways if layer.last else 1)


cdef struct Rows:                   # the rows of a half by the state of one of its colours, room for all pairs
    u32 begin[MAX_STATES + 1]       # [state] -> its rows in the lists below, where they keep their order
    u32* row
    u32* to                         # where one step takes them
    u8* spent
    u8* to_spent


cdef bint step_matrix(Plan* plan, const Layer* layer, int own, int classes, const Matrix* here, Matrix* there,
                      const Pairs* rows, const Pairs* next_rows, const Pairs* columns, Rows* sorted_rows,
                      Count unit) except -1 nogil:
    """One colour's step, the colour being `own` (0 or 1) of its half. `unit` only chooses the width.

    Step by step, and for each all rows that may take it: what depends on the step alone is worked out once.
    """
    cdef int slack = plan.slack, states = plan.automata.states, s, x, y, k, j, left
    cdef u32 ways, r, other
    cdef const LiveStep *step
    cdef const LiveStep *end
    cdef Shift shift
    cdef u64 busy[MAX_CLASSES][MAX_JOKERS + 1]
    sort_rows(rows, own, states, sorted_rows)
    for x in range(classes):
        for k in range(slack + 1):
            busy[x][k] = busy_states(rows, own, class_used(here, x, k), rows.upto[slack - k + 1])
    shift.upto = &columns.upto[0]
    for s in range(states):
        shift.rows = sorted_rows.begin[s + 1] - sorted_rows.begin[s]
        if shift.rows == 0:
            continue
        shift.row = sorted_rows.row + sorted_rows.begin[s]
        shift.spent = sorted_rows.spent + sorted_rows.begin[s]
        shift.to = sorted_rows.to
        shift.to_spent = sorted_rows.to_spent
        step = steps_of(plan, layer, s)
        end = steps_end(plan, layer, s)
        while step != end:
            for r in range(<u32> shift.rows):
                other = rows.pair[shift.row[r]].state[1 - own]
                sorted_rows.to[r] = next_rows.place[other * states + step.to if own else step.to * states + other]
                sorted_rows.to_spent[r] = next_rows.pair[sorted_rows.to[r]].spent
            for x in range(classes):
                y = layer.next[x][step.g]
                if y < 0:
                    continue
                for k in range(step.cost, slack + 1):
                    if not busy[x][k] >> (s & 63) & 1:
                        continue
                    for j in range(k - step.cost + 1 if layer.last else 1):
                        left = k - step.cost - j
                        ways = step.ways * (layer.groups.ways[y][j] if layer.last else 1)
                        if ways:
                            add_rows(&shift, class_counts(there, 0 if layer.last else y, left, unit),
                                     class_used(there, 0 if layer.last else y, left), slack - left + 1,
                                     class_counts(here, x, k, unit), class_used(here, x, k), slack - k + 1,
                                     rows.upto[slack - k + 1], <Count> ways)
            step += 1
    return True


cdef u64 busy_states(const Pairs* rows, int own, const u8* used, int height) noexcept nogil:
    """The states of used rows, as bits; a bit stands for all states that are equal modulo 64."""
    cdef u64 found = 0
    cdef int r
    for r in range(height):
        found |= <u64> used[r] << (rows.pair[r].state[own] & 63)
    return found


cdef void sort_rows(const Pairs* rows, int own, int states, Rows* by_state) noexcept nogil:
    """Rows by their colour's state, each state's in their order, which is that of what they have spent."""
    cdef u32 place[MAX_STATES + 1]
    cdef int r, s
    memset(place, 0, (states + 1) * sizeof(u32))
    for r in range(rows.upto[MAX_JOKERS + 1]):
        place[rows.pair[r].state[own] + 1] += 1
    for s in range(states):
        place[s + 1] += place[s]
    memcpy(by_state.begin, place, (states + 1) * sizeof(u32))
    for r in range(rows.upto[MAX_JOKERS + 1]):
        s = rows.pair[r].state[own]
        by_state.row[place[s]] = r
        by_state.spent[place[s]] = rows.pair[r].spent
        place[s] += 1


# ---------------------------------------------------------------- the count

cdef struct Arena:                  # all memory of a count, kept for the next one
    Plan plan
    List list[2]
    Matrix matrix[2]
    Pairs pairs[2][2]
    Rows rows
    int pair_states                 # for how many states the pairs have room


cdef class CountArena:
    cdef Arena arena
    cdef Tally tally
    cdef Monitor monitor

    def __cinit__(self):
        memset(&self.arena, 0, sizeof(Arena))
        self.tally = Tally()
        self.monitor = Monitor(self.tally)
        init_plan(&self.arena.plan)
        grow_list(&self.arena.list[0], 8)
        grow_list(&self.arena.list[1], 8)

    def __dealloc__(self):
        cdef int i
        free_plan(&self.arena.plan)
        for i in range(2):
            free_keys(&self.arena.list[i].keys)
            free(self.arena.list[i].counts)
            free_matrix(&self.arena.matrix[i])
        free(self.arena.rows.row)
        free(self.arena.rows.to)
        free(self.arena.rows.spent)
        free(self.arena.rows.to_spent)
        for i in range(4):
            free(self.arena.pairs[i >> 1][i & 1].pair)
            free(self.arena.pairs[i >> 1][i & 1].place)


cdef void free_matrix(Matrix* m) noexcept nogil:
    free(m.counts)
    free(m.used)
    memset(m, 0, sizeof(Matrix))


cdef bint room_for_pairs(Arena* arena, int states) except -1 nogil:
    cdef int i
    cdef Pairs* pairs
    if states <= arena.pair_states:
        return True
    for i in range(4):
        pairs = &arena.pairs[i >> 1][i & 1]
        pairs.pair = <Pair*> realloc(pairs.pair, states * states * sizeof(Pair))
        pairs.place = <u32*> realloc(pairs.place, states * states * sizeof(u32))
        if pairs.pair == NULL or pairs.place == NULL:
            raise MemoryError()
    arena.rows.row = <u32*> realloc(arena.rows.row, states * states * sizeof(u32))
    arena.rows.to = <u32*> realloc(arena.rows.to, states * states * sizeof(u32))
    arena.rows.spent = <u8*> realloc(arena.rows.spent, states * states)
    arena.rows.to_spent = <u8*> realloc(arena.rows.to_spent, states * states)
    if arena.rows.row == NULL or arena.rows.to == NULL or arena.rows.spent == NULL or arena.rows.to_spent == NULL:
        raise MemoryError()
    arena.pair_states = states
    return True


cdef Outcome sweep(const Problem* problem, const Automata* automata, Arena* arena, Tally tally,
                   Monitor monitor, u128* total) except FAILED nogil:
    cdef Outcome outcome = TOO_LARGE
    cdef Problem table
    cdef u128 bare = 0
    cdef u64 narrow = 0
    cdef int i
    total[0] = 0
    if not prepare(problem, automata, &arena.plan):
        return DONE
    if problem.joker_rules != NULL:
        tally.reset(&arena.plan)
        monitor.reset(&arena.plan)
        outcome = sweep_watched[u64](&arena.plan, monitor, &arena.list[0], &arena.list[1], &narrow)
        total[0] = narrow
        if outcome == TOO_WIDE:
            outcome = sweep_watched[u128](&arena.plan, monitor, &arena.list[0], &arena.list[1], total)
        return outcome
    if problem.threshold:
        tally.reset(&arena.plan)
        return sweep_list[u128](&arena.plan, tally, True, &arena.list[0], &arena.list[1], total)
    if most_frontiers(&arena.plan) <= <int> LIST_LIMIT * (2 if arena.plan.slack else 1):
        return sweep_lists(arena, tally, total)
    outcome = sweep_matrices(automata, arena, total)
    if outcome == TOO_LARGE:                # the lists need the room
        for i in range(2):
            free_matrix(&arena.matrix[i])
        return sweep_lists(arena, tally, total)
    if outcome == DONE and problem.lay:     # what lays nothing is another, smaller count
        table = problem[0]
        memcpy(table.most, table.must, sizeof(table.most))
        table.jokers = table.must_jokers
        table.lay = False
        outcome = sweep(&table, automata, arena, tally, monitor, &bare)
        total[0] -= bare
    return outcome


cdef Outcome sweep_lists(Arena* arena, Tally tally, u128* total) except FAILED nogil:
    cdef u64 narrow = 0
    cdef Outcome outcome = sweep_list[u64](&arena.plan, tally, False, &arena.list[0], &arena.list[1], &narrow)
    total[0] = narrow
    if outcome == TOO_WIDE:
        return sweep_list[u128](&arena.plan, tally, False, &arena.list[0], &arena.list[1], total)
    return outcome


cdef Outcome sweep_matrices(const Automata* automata, Arena* arena, u128* total) except FAILED nogil:
    cdef u64 narrow = 0
    cdef Outcome outcome
    room_for_pairs(arena, automata.states)
    outcome = sweep_matrix[u64](&arena.plan, arena, &narrow)
    total[0] = narrow
    if outcome == TOO_WIDE:
        return sweep_matrix[u128](&arena.plan, arena, total)
    return outcome


cdef class Counter:
    def __cinit__(self):
        self.arena = CountArena()

    cdef Outcome count(self, const Problem* problem, const Automata* automata, u128* total) except FAILED nogil:
        return count_in(<CountArena> self.arena, problem, automata, total)


cdef inline Outcome count_in(CountArena arena, const Problem* problem, const Automata* automata,
                             u128* total) except FAILED nogil:
    cdef Outcome outcome = sweep(problem, automata, &arena.arena, arena.tally, arena.monitor, total)
    arena.tally.clear()
    return outcome


cdef list idle = []                 # counters that no thread uses; appended and popped under the GIL


cdef object count_arrangements(const Problem* problem, Tables tables):
    """The exact number of arrangements that solve the problem, as a Python int.

    TooLarge where it does not fit into 128 bits, or the sweep needs more than about 220 MiB.
    """
    cdef Counter counter = idle.pop() if idle else Counter()
    cdef u128 total = 0
    cdef Outcome outcome
    with nogil:
        outcome = counter.count(problem, &tables.automata, &total)
    if outcome != TOO_LARGE:                # else its memory has grown, and is given up
        idle.append(counter)
    raise_outcome(outcome, problem.stop, "arrangements")
    return to_python(total)


cdef double count_seconds(const Problem* problem, Tables tables) except -1:
    cdef Counter counter = idle.pop() if idle else Counter()
    cdef u128 total = 0
    cdef double start, end
    with nogil:
        start = now()
        counter.count(problem, &tables.automata, &total)
        end = now()
    idle.append(counter)
    return end - start
