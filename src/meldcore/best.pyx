"""The best move under free jokers: depth first under a budget, with bounds for each colour.

An arrangement is a path of choices, number by number and colour by colour (tables.pxd, the shapes). It costs what its
tiles would have gained had they been laid: the best one costs least, and among equals it is the first.

Rows       What a colour must still cost from a number on, for each shape and number of jokers: worked out backwards,
           exact for the colour alone. Groups are relaxed: a colour may give tiles to them as it likes, at the number
           of jokers that the groups of the number need at least (charges).
Bound      The least sum of the colours' rows over all ways to split the jokers that are left.
Budget     The search runs in the order of the choices and drops what cannot cost less than the best path so far, or
           exceeds a budget; the budget starts at the bound of the whole and grows until a path is found. Since paths
           are met in order and only a cheaper one replaces another, the last one is the first of the best.
Memo       What a frontier was found to cost at least, which holds for all budgets.
Shifting   Where the search takes long, costs are moved between the colours of a number, so that giving tiles to a
           group is cheap only where all colours do. Any prices are allowed that come to nothing, or less, for every
           possible multiset of groups, so the rows stay bounds; the better the prices, the tighter.

Rows come in two sizes. The automata of ordinary editions have at most 15 shapes, and costs that fit 16 bits: lanes.pxd
works on 8 shapes at once. Everything else (weights, more copies or jokers, huge hands) takes 64-bit rows, the same
search and no shifting.
"""

from libc.stdlib cimport calloc, free, llabs, malloc
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from meldcore.bits cimport bit_width, i8, i64, u8, u16, u32, u64
from meldcore.laying cimport MAX_OPEN, OpenRun, lay_groups, take_way
from meldcore.lanes cimport Lanes, fill, larger, largest, less, load, more, moved, store
from meldcore.objective cimport POINTS, WEIGHTS, Objective
from meldcore.plan cimport Layer, Plan, jokers_left, slack_of, state_of, states_at
from meldcore.problem cimport COLOURS, ROOM, Problem, most_in_groups, most_in_runs
from meldcore.sets cimport add_tiles
from meldcore.stop cimport is_due, raise_due
from meldcore.tables cimport (
    MAX_COPIES, MAX_JOKERS, Automata, Choice, Groups, Span, Step, Tables, choice_span, step_span,
)

cdef extern from *:
    """
    #define MELDCORE_WIDE_WHOLE ((int64_t) 1 << 60)
    #define MELDCORE_NO_LIMIT ((uint64_t) 1 << 63)
    """
    const i64 WIDE_WHOLE "MELDCORE_WIDE_WHOLE"
    const u64 NO_LIMIT "MELDCORE_NO_LIMIT"

# A row holds WHOLE - cost, 0 where the shape cannot finish. Sums of four 64-bit rows and a budget fit 64 bits.
cdef enum:
    WHOLE = 50000           # of a 16-bit row
    NARROW_COST = 24000     # most that a colour may cost in 16-bit rows: there has to be room for prices
    MOST_SHIFT = 1000       # at one place
    LANES = 8
    LANE_SHAPES = 2 * LANES
    MAX_OPEN_RUNS = 4       # of a colour, in automata that lanes are used for

cdef enum:
    MAX_VECTORS = 81        # of tiles to groups, 2 copies
    MAX_OFFERS = 32
    STEPS_BETWEEN_CHECKS = 256
    NARROW_ROWS = 4 * 16 * 3 * LANE_SHAPES
    MEMO_ROOM = 1 << 11     # entries to begin with
    MEMO_SIZES = 6          # up to 2 million entries, 32 MB; beyond that nothing is remembered any more
    MEMO_KEPT = 3           # sizes that an idle arena keeps


# ---------------------------------------------------------------- what the problems of an edition share

cdef struct Offer:          # a way to treat a colour's tiles at a number, runs forgotten
    u8 laid                 # tiles and jokers to runs
    u8 jokers               # to runs and charged for groups
    i64 cost

cdef struct Offers:
    int count
    Offer offer[MAX_OFFERS]     # by `laid`, then by `jokers`, then cheaper and cheaper

cdef struct Vector:         # what the colours give to some multiset of groups
    u8 given[4]
    u8 jokers               # least that it takes

cdef struct Exchange:       # the groups that are possible at a number
    u8 charge[4][MAX_COPIES + 1]    # jokers [colour][tiles given]: over the colours never more than any groups take
    u8 charges[4]                   # the same for one and two tiles in 4 bits, 3 being out of reach for two jokers
    Span vectors                    # in Edition.vectors

cdef enum:                  # what a choice does
    BEGINS = 1              # leaves a run that has just begun
    BREAKS = 2              # ends a long run
    LAYS = 4                # uses a tile that need not be used

cdef class Edition:
    """Derived from `Tables` once."""
    cdef Tables tables
    cdef bint lanes                 # its problems may have narrow rows
    cdef bint going_on_first        # of choices that differ in no more, the one that leaves more runs open is first
    cdef vector[Exchange] exchanges     # [most jokers][those that lie there anyway] as Automata.groups
    cdef int vector_places
    cdef vector[Vector] vectors
    cdef Offers offers[3][3][16]        # [must][most][charges of one and two tiles], cost in tiles that are not laid
    cdef Offers plain_offers[3][3][16]  # the same where no joker may lie in the runs
    # For lanes.moved, [tiles laid][long runs that go on][half to][half from]: what follows or precedes each shape.
    cdef u8 before[MAX_OPEN_RUNS + 1][MAX_OPEN_RUNS + 1][2][2][16]
    cdef u8 after[MAX_OPEN_RUNS + 1][MAX_OPEN_RUNS + 1][2][2][16]
    cdef u8 need_two[LANE_SHAPES]       # open runs of each shape that need two more tiles, and one
    cdef u8 need_one[LANE_SHAPES]
    cdef u32 most_choices               # of any shape
    cdef vector[u8] traits              # of Automata.choices, see below
    cdef list idle                      # solvers that no thread uses

    def __init__(self, Tables tables):
        self.tables = tables
        self.idle = []
        cdef const Automata* a = &tables.automata
        cdef int i, jokers, reserved, must, most, shape
        self.vector_places = (a.copies + 1) ** 4
        self.exchanges.resize((a.jokers + 1) ** 2 * self.vector_places)
        for jokers in range(a.jokers + 1):
            for reserved in range(jokers + 1):
                for i in range(self.vector_places):
                    list_vectors(self, i, jokers, reserved)
        self.lanes = a.copies <= 2 and a.jokers <= 2 and tables.max_jokers_per_set is None
        if self.lanes:
            prepare_lanes(self)
            list_offers(self)
        self.traits.resize(tables.choices.size())
        for most in range(a.copies + 1):
            for must in range(most + 1):
                for shape in range(a.shapes):
                    self.most_choices = max(self.most_choices, choice_span(a, must, most, shape).count)
                    find_traits(self, must, most, shape)


cdef int least_jokers(const Groups* groups, const u8* given) noexcept nogil:
    """Jokers that groups of these tiles take at least, -1 where there are no such groups."""
    cdef int c, j, group_class = 0
    for c in range(4):
        group_class = groups.next[c][group_class][given[c]]
        if group_class < 0:
            return -1
    for j in range(MAX_JOKERS + 1):
        if groups.ways[group_class][j]:
            return j
    return -1


cdef Exchange* exchange_at(Edition self, int place, int jokers, int reserved) noexcept nogil:
    return &self.exchanges[(jokers * (self.tables.automata.jokers + 1) + reserved) * self.vector_places + place]


cdef int list_vectors(Edition self, int place, int jokers, int reserved) except -1:
    """All that can be given to the groups of a number that hold up to so many jokers, and the charges.

    place: see Automata.groups. reserved: jokers that nobody else can have.
    """
    cdef const Automata* a = &self.tables.automata
    cdef Exchange* e = exchange_at(self, place, jokers, reserved)
    cdef Vector v
    cdef int i, c, d, g, left, code = place
    cdef int most[4]
    for c in range(4):
        most[c] = code % (a.copies + 1)
        code //= a.copies + 1
    e.vectors.first = <u32> self.vectors.size()
    for code in range(1 << 8):
        for c in range(4):
            v.given[c] = code >> 2 * c & 3
            if v.given[c] > most[c]:
                break
        else:
            left = least_jokers(&a.groups[place], v.given)
            if 0 <= left <= jokers:
                v.jokers = max(left - reserved, 0)
                self.vectors.push_back(v)
    e.vectors.count = <u32> (self.vectors.size() - e.vectors.first)
    for c in range(4):          # each colour is charged what those before have left of every vector's jokers
        for g in range(MAX_COPIES + 1):
            e.charge[c][g] = MAX_JOKERS + 1
        for i in range(<int> e.vectors.count):
            v = self.vectors[e.vectors.first + i]
            left = v.jokers
            for d in range(c):
                left -= e.charge[d][v.given[d]]
            g = v.given[c]
            e.charge[c][g] = min(<int> e.charge[c][g], max(left, 0))
        e.charges[c] = min(<int> e.charge[c][1], 3) << 2 | min(<int> e.charge[c][2], 3)
    return 0


cdef int find_traits(Edition self, int must, int most, int shape) except -1:
    cdef const Automata* a = &self.tables.automata
    cdef Span span = choice_span(a, must, most, shape)
    cdef const Choice* choice
    cdef u32 i
    for i in range(span.first, span.first + span.count):
        choice = a.choices + i
        if choice.r + choice.g > must:
            self.traits[i] |= LAYS
        if self.lanes and self.going_on_first:
            if self.need_two[choice.to]:
                self.traits[i] |= BEGINS
            if self.need_one[choice.to] - self.need_two[shape] < self.need_one[shape]:
                self.traits[i] |= BREAKS
    return 0


cdef int prepare_lanes(Edition self) except -1:
    """Where each shape gets with some tiles: every open run takes one, the others begin runs, long runs may end."""
    cdef const Automata* a = &self.tables.automata
    cdef int here, there, laid, on, half, two, one
    shapes = reachable_shapes(a.copies, a.jokers)
    if len(shapes) != a.shapes:
        raise AssertionError("the shapes of open runs are others than expected")
    place = {shape: i for i, shape in enumerate(shapes)}
    memset(self.before, 128, sizeof(self.before))
    memset(self.after, 128, sizeof(self.after))
    for (two, one), here in place.items():
        self.need_two[here] = two
        self.need_one[here] = one
        for laid in range(two + one, MAX_OPEN_RUNS + 1):
            for on in range(one + 1):
                there = place.get((laid - two - one, two + on), -1)
                for half in range(2 if there >= 0 else 0):
                    self.before[laid][on][here >> 3][there >> 3][2 * (here & 7) + half] = 2 * (there & 7) + half
                    self.after[laid][on][there >> 3][here >> 3][2 * (there & 7) + half] = 2 * (here & 7) + half
    self.going_on_first = is_going_on_first(a)
    return 0


cdef list reachable_shapes(int copies, int jokers):
    """Open runs that need (two more tiles, one more), by number of runs: what lies within reach of the jokers."""
    spent = {(0, 0): 0}
    queue = [(0, 0)]
    for two, one in queue:          # grows while it is read
        for tiles in range(two + one, copies + jokers + 1):
            cost = spent[two, one] + max(0, tiles - copies)
            for on in range(one + 1):
                shape = tiles - two - one, two + on
                if cost < spent.get(shape, jokers + 1):
                    spent[shape] = cost
                    queue.append(shape)
    return sorted(spent, key=lambda shape: (sum(shape), shape))


cdef bint is_going_on_first(const Automata* a) noexcept:
    cdef int shape, i
    cdef Span span
    cdef const Choice* choice
    for shape in range(a.shapes):
        span = choice_span(a, 0, a.copies, shape)
        for i in range(1, <int> span.count):
            choice = a.choices + span.first + i
            if (choice.r == choice[-1].r and choice.g == choice[-1].g and choice.b == choice[-1].b
                    and choice.to > choice[-1].to):
                return False
    return True


cdef int list_offers(Edition self) except -1:
    cdef i64 left[MAX_COPIES + 1]
    cdef i64 price[MAX_COPIES + 1]
    cdef u8 charge[MAX_COPIES + 1]
    cdef int must, most, charges, x
    memset(price, 0, sizeof(price))
    for most in range(self.tables.copies + 1):
        for x in range(most + 1):
            left[x] = most - x
        for must in range(most + 1):
            for charges in range(16):
                charge[0] = 0
                charge[1] = charges >> 2
                charge[2] = charges & 3
                make_offers(&self.offers[must][most][charges], self.tables.jokers, 0, MAX_JOKERS, must, most, charge,
                            left, price)
                make_offers(&self.plain_offers[must][most][charges], self.tables.jokers, 0, 0, must, most, charge,
                            left, price)
    return 0


cdef void make_offers(Offers* out, int jokers, int fewest, int spare, int must, int most, const u8* charge,
                      const i64* cost, const i64* price) noexcept nogil:
    """`fewest` to `spare` of the jokers lie in runs. `cost` by tiles laid, `price` by tiles given to groups.

    What costs no less than with fewer jokers is left out.
    """
    cdef i64 best[MAX_OPEN_RUNS + 1][3]
    cdef int r, g, b, laid, j
    cdef i64 lowest
    for laid in range(most + jokers + 1):
        for j in range(jokers + 1):
            best[laid][j] = IMPOSSIBLE
    for g in range(most + 1):
        for r in range(max(0, must - g), most - g + 1):
            for b in range(fewest, min(spare, jokers - charge[g]) + 1):
                best[r + b][b + charge[g]] = min(best[r + b][b + charge[g]], cost[r + g] + price[g])
    out.count = 0
    for laid in range(most + jokers + 1):
        lowest = IMPOSSIBLE
        for j in range(jokers + 1):
            if best[laid][j] < lowest:
                lowest = best[laid][j]
                out.offer[out.count] = Offer(laid, j, lowest)
                out.count += 1


# ---------------------------------------------------------------- one search

cdef struct Memo:
    u64 key
    i64 bound

cdef struct SearchLayer:    # a colour at a number
    const Span* choices             # [shape before]
    const i8 (*next)[MAX_COPIES + 1]    # Groups.next of the colour
    i64 cost[MAX_COPIES + 1]        # [tiles laid], for what is not laid
    i64 price[MAX_COPIES + 1]       # [tiles given to groups]: costs shifted here
    u32 row                         # the colour's row after the number, shape 0, no jokers
    u8 must
    u8 most
    u8 fewest                       # jokers that lie in its runs at least,
    u8 spare                        # and at most: those of the problem or fewer
    u8 shift                        # of the colour's shape in a frontier
    u8 broken_shift                 # of its other bit there
    bint idle                       # without open runs nothing can happen here
    u64 pair_bits                   # the shapes of this colour and the next

cdef struct Option:         # a choice that can finish
    const Choice* choice
    i64 cost
    i64 price
    u64 bits                # what it leaves of its colour in a frontier
    u32 row
    u8 jokers
    u8 given                # tiles to groups
    bint begins             # it leaves a run that has just begun

cdef struct OptionSpan:     # of a shape
    u32 mark                # see mark_of; less: they are not listed
    u32 first
    u32 count

cdef struct Search:
    const Problem* problem
    const Automata* automata
    SearchLayer layer[4 * 16]                 # [number << 2 | colour], numbers from 1
    const Groups* groups[16]            # [number]
    const Exchange* exchange[16]
    int end                             # the layer after the last
    i64 joker_price                     # what the prices of any groups come to at most, for each joker not charged
    i64 joker_cost[MAX_JOKERS + 1]      # [jokers left at the end]
    i64 nothing                         # the cost of laying nothing
    i64 typical                         # of one tile or joker
    bint must_lay                       # the path has to say whether something is laid
    i64 whole                           # see rows
    int stride                          # shapes in a row
    int shape_bits
    u32 shape_mask
    u64 laid_bit                        # in a frontier
    OptionSpan* spans                   # [layer][shape]
    Option* options
    u32 option_count
    u32 listing                         # counts the times that the options are begun anew
    const u8* traits                    # of the edition
    # the path so far
    u32 at[4]                           # the row where each colour stands, no jokers
    const Choice* path[4 * 16]          # [layer], NULL: nothing happens
    u8 group_jokers[16]
    # the best so far
    i64 best
    i64 lowest                          # no path costs less
    i64 slack                           # by which the budget exceeds that
    const Choice* best_path[4 * 16]
    u8 best_group_jokers[16]
    u64 steps
    u64 limit
    u64 checkpoint                      # steps until must_end is asked again
    bint over                           # the best cannot be better, the limit is reached, or the search was stopped
    bint stopped                        # from outside
    # the memo, open addressing; keys of other searches count as free
    Memo* memos[MEMO_SIZES]             # each four times as large as the one before, NULL: not needed yet
    int memo_size
    Memo* memo                          # in use
    u64 memo_mask
    u64 memo_used
    u64 generation                      # in the upper bits of a key

cdef enum:
    KEY_BITS = 55


ctypedef fused Cost:
    u16
    i64


cdef inline u32 row_at(const Search* s, int colour, int number) noexcept nogil:
    """The first of the rows of a colour after a number; there is one for each number of jokers."""
    return (number << 2 | colour) * (s.problem.jokers + 1) * s.stride


cdef inline Memo* find_memo(const Search* s, u64 key) noexcept nogil:
    """The entry of the key, or a free one."""
    cdef u64 place = (key * 0x9E3779B97F4A7C15u >> 32) & s.memo_mask
    while s.memo[place].key != key and s.memo[place].key >> KEY_BITS == s.generation:
        place = (place + 1) & s.memo_mask
    return s.memo + place


cdef void remember(Search* s, u64 key, i64 bound) noexcept nogil:
    """Where memory is short nothing is remembered: the search is only slower."""
    cdef Memo* entry = find_memo(s, key)
    if entry.key != key:
        if 2 * s.memo_used > s.memo_mask:
            if not use_larger_memo(s):
                return
            entry = find_memo(s, key)
        entry.key = key
        s.memo_used += 1
    entry.bound = bound


cdef bint use_larger_memo(Search* s) noexcept nogil:
    cdef Memo* old = s.memo
    cdef u64 i, room = s.memo_mask + 1
    if s.memo_size + 1 == MEMO_SIZES:
        return False
    if s.memos[s.memo_size + 1] == NULL:
        s.memos[s.memo_size + 1] = <Memo*> calloc(4 * room, sizeof(Memo))
        if s.memos[s.memo_size + 1] == NULL:
            return False
    use_memo(s, s.memo_size + 1)
    for i in range(room):
        if old[i].key >> KEY_BITS == s.generation:
            find_memo(s, old[i].key)[0] = old[i]
    return True


cdef inline void use_memo(Search* s, int size) noexcept nogil:
    s.memo_size = size
    s.memo = s.memos[size]
    s.memo_mask = (<u64> MEMO_ROOM << 2 * size) - 1


cdef void drop_large_memos(Search* s) noexcept nogil:
    cdef int size
    for size in range(MEMO_KEPT, MEMO_SIZES):
        free(s.memos[size])
        s.memos[size] = NULL


cdef void forget(Search* s) noexcept nogil:
    """Small again: a search that needs little memory should find it in the cache."""
    cdef int size
    use_memo(s, 0)
    s.memo_used = 0
    s.generation += 1
    if s.generation >> (64 - KEY_BITS):
        s.generation = 1
        for size in range(MEMO_SIZES):
            if s.memos[size] != NULL:
                memset(s.memos[size], 0, (<size_t> MEMO_ROOM << 2 * size) * sizeof(Memo))


cdef inline void join(const i64* a, const Cost* b, int stride, int jokers, i64* sums) noexcept nogil:
    """sums[j]: the most that two rows come to together with at most j jokers; `a` is dense."""
    cdef int i, j
    sums[0] = a[0] + b[0]
    if jokers == 0:
        return
    sums[1] = max(a[0] + b[stride], a[1] + b[0])
    if jokers == 1:
        return
    sums[2] = max(max(a[0] + b[2 * stride], a[1] + b[stride]), a[2] + b[0])
    for j in range(3, jokers + 1):
        sums[j] = a[j] + b[0]
        for i in range(j):
            sums[j] = max(sums[j], a[i] + b[(j - i) * stride])


cdef inline void joint_cost(const Search* s, const i64* a, const Cost* b, int jokers, i64* cost) noexcept nogil:
    """cost[j]: what three colours cost at least, the rows of two being joined in `a`, with at most j jokers."""
    cdef i64 sums[MAX_JOKERS + 1]
    cdef int j
    join(a, b, s.stride, jokers, sums)
    cost[0] = 3 * s.whole - sums[0]
    for j in range(1, jokers + 1):
        cost[j] = min(cost[j - 1] - s.joker_price, 3 * s.whole - sums[j])


cdef inline i64 best_split(const Search* s, const i64* others, const Cost* row, int jokers) noexcept nogil:
    """What four colours cost at least: `others` is the joint cost of three, the fourth stands at `row`."""
    cdef i64 least = others[jokers] - row[0]
    cdef int i
    if jokers:
        least = min(least, others[0] - row[jokers * s.stride])
        for i in range(1, jokers):
            least = min(least, others[i] - row[(jokers - i) * s.stride])
    return least + s.whole


cdef inline void spread(const Cost* row, int stride, int jokers, i64* dense) noexcept nogil:
    cdef int j
    for j in range(jokers + 1):
        dense[j] = row[j * stride]


cdef OptionSpan list_options(Search* s, const Cost* rows, int at, int shape, int jokers) noexcept nogil:
    """The choices of a colour in a shape that can finish with so many jokers, in order."""
    cdef const SearchLayer* layer = &s.layer[at]
    cdef const Choice* choice = s.automata.choices + layer.choices[shape].first
    cdef const Choice* end = choice + layer.choices[shape].count
    cdef Option* option = s.options + s.option_count
    cdef const u8* traits = s.traits + layer.choices[shape].first
    cdef OptionSpan* span = &s.spans[at * s.automata.shapes + shape]
    span.mark = mark_of(s, jokers)
    span.first = s.option_count
    while choice != end and choice.b <= jokers:
        if rows[layer.row + choice.to + (jokers - choice.b) * s.stride]:
            option.choice = choice
            option.cost = layer.cost[choice.r + choice.g]
            option.price = layer.price[choice.g]
            option.bits = <u64> choice.to << layer.shift
            if traits[0] & BREAKS:
                option.bits |= <u64> 1 << layer.broken_shift
            if traits[0] & LAYS:
                option.bits |= s.laid_bit
            option.row = layer.row + choice.to
            option.jokers = choice.b
            option.given = choice.g
            option.begins = traits[0] & BEGINS
            option += 1
        choice += 1
        traits += 1
    s.option_count = option - s.options
    span.count = s.option_count - span.first
    return span[0]


cdef inline OptionSpan options_of(Search* s, const Cost* rows, int at, int shape, int jokers) noexcept nogil:
    """Those that can finish with so many jokers, and maybe others."""
    cdef OptionSpan span = s.spans[at * s.automata.shapes + shape]
    return span if span.mark >= mark_of(s, jokers) else list_options(s, rows, at, shape, jokers)


cdef inline u32 mark_of(const Search* s, int jokers) noexcept nogil:
    """What options are marked with that are listed for so many jokers."""
    return s.listing << 3 | <u32> jokers


cdef inline void forget_options(Search* s) noexcept nogil:
    s.option_count = 0
    s.listing += 1
    if s.listing >> 29:
        s.listing = 1
        memset(s.spans, 0, 64 * s.automata.shapes * sizeof(OptionSpan))


cdef i64 search_from(Search* s, const Cost* rows, int at, int group_class, u64 frontier, int jokers, i64 spent,
                     i64 prices) noexcept nogil:
    """Find the paths from here that cost less than the best so far; returns what any path from here costs at least.

    A call makes the choices of two colours, those of the layers `at` and `at + 1`.
    group_class: of what the colours before give to the groups of the number. frontier: the shapes of the four colours,
    a bit for each that is broken, and one that says that something optional has been laid. jokers: left. spent: the
    cost so far. prices: of what the colours before give to the groups of the number.

    A colour is broken when a long run has just ended. A run that begins right there could as well have gone on, at the
    same cost, and a path where it does comes earlier: it need not be looked at.
    """
    cdef const SearchLayer* layer = &s.layer[at]
    while at < s.end and layer.idle and layer[1].idle and not frontier & layer.pair_bits and group_class == 0:
        s.path[at] = s.path[at + 1] = NULL
        s.group_jokers[at >> 2] = 0
        frontier &= ~(<u64> 3 << layer.broken_shift)
        at += 2
        layer += 2
    if at == s.end:
        return finish(s, (frontier & s.laid_bit) != 0, jokers, spent)

    cdef u64 key = (s.generation << KEY_BITS | frontier << 14 | <u64> at << 8 | <u64> (group_class << 3) | <u64> jokers)
    cdef const Memo* known = find_memo(s, key)
    if known.key == key and spent + known.bound >= s.best:
        return known.bound
    s.steps += 1
    if s.steps > s.checkpoint and must_end(s):
        return IMPOSSIBLE

    cdef int c = at & 3
    cdef u64 rest = frontier & ~(layer.pair_bits | <u64> 3 << layer.broken_shift), after
    cdef i64 dense[MAX_JOKERS + 1]
    cdef i64 others[MAX_JOKERS + 1]     # rows of the two colours whose choices are not made here, joined
    cdef i64 three[MAX_JOKERS + 1]      # joint costs: of those and the second colour where it stands,
    cdef i64 all_but[MAX_JOKERS + 1]    # of those and the first colour after its choice
    spread(rows + s.at[c ^ 2], s.stride, jokers, dense)
    join(dense, rows + s.at[c ^ 3], s.stride, jokers, others)
    joint_cost(s, others, rows + s.at[c + 1], jokers, three)

    cdef OptionSpan span = options_of(s, rows, at, frontier >> layer.shift & s.shape_mask, jokers)
    cdef OptionSpan span2 = OptionSpan(0, 0, 0)
    cdef const Option* option = s.options + span.first
    cdef const Option* end = option + span.count
    cdef const Option* option2
    cdef const Option* end2
    cdef const Cost* row
    cdef const u16* ways
    cdef const i8* next_class = layer.next[group_class]
    cdef const i8* last_class
    cdef i64 cost, price, bound, least = IMPOSSIBLE, room = s.best - spent
    cdef u32 old = s.at[c], old_second = s.at[c + 1]
    cdef int left, now, j
    cdef bint broken = frontier >> layer.broken_shift & 1, broken2 = frontier >> layer.broken_shift & 2
    while option != end and option.jokers <= jokers:
        left = jokers - option.jokers
        row = rows + option.row
        if row[left * s.stride] == 0 or (broken and option.begins):
            option += 1
            continue
        price = prices + option.price
        bound = option.cost + price + three[jokers] + s.whole - row[left * s.stride]
        if bound < room:
            bound = option.cost + price + best_split(s, three, row, left)
        if bound >= room:
            least = min(least, bound)
        elif next_class[option.given] >= 0:
            if span2.count == 0:
                span2 = options_of(s, rows, at + 1, frontier >> layer[1].shift & s.shape_mask, jokers)
            last_class = layer[1].next[next_class[option.given]]
            joint_cost(s, others, row, left, all_but)
            after = rest | option.bits
            s.path[at] = option.choice
            s.at[c] = option.row
            option2 = s.options + span2.first
            end2 = option2 + span2.count
            while option2 != end2 and option2.jokers <= left:
                now = left - option2.jokers
                if (last_class[option2.given] < 0 or rows[option2.row + now * s.stride] == 0
                        or (broken2 and option2.begins)):
                    option2 += 1
                    continue
                s.path[at + 1] = option2.choice
                cost = option.cost + option2.cost
                if c == 0:
                    bound = cost + price + option2.price + best_split(s, all_but, rows + option2.row, now)
                    if bound < room:
                        s.at[1] = option2.row
                        bound = cost + search_from(s, rows, at + 2, last_class[option2.given], after | option2.bits,
                                                   now, spent + cost, price + option2.price)
                        if s.over:
                            return IMPOSSIBLE
                        room = s.best - spent
                    least = min(least, bound)
                else:
                    ways = s.groups[at >> 2].ways[last_class[option2.given]]
                    for j in range(now + 1):
                        if not ways[j]:
                            continue
                        bound = cost + best_split(s, all_but, rows + option2.row, now - j)
                        if bound < room:
                            s.group_jokers[at >> 2] = j
                            s.at[3] = option2.row
                            bound = cost + search_from(s, rows, at + 2, 0, after | option2.bits, now - j, spent + cost,
                                                       0)
                            if s.over:
                                return IMPOSSIBLE
                            room = s.best - spent
                        least = min(least, bound)
                option2 += 1
            s.at[c] = old
            s.at[c + 1] = old_second
        option += 1
    remember(s, key, least)
    return least


cdef bint must_end(Search* s) noexcept nogil:
    s.stopped = is_due(s.problem.stop)
    s.over = s.stopped or s.steps > s.limit
    s.checkpoint = min(s.limit, s.steps + STEPS_BETWEEN_CHECKS)
    return s.over


cdef i64 finish(Search* s, bint laid, int jokers, i64 spent) noexcept nogil:
    """The path is complete, with some jokers left."""
    cdef i64 cost = s.joker_cost[jokers]
    if not laid and s.problem.jokers - jokers == s.problem.must_jokers:
        return IMPOSSIBLE
    if cost < IMPOSSIBLE and spent + cost < s.best:
        s.best = spent + cost
        s.over = s.best <= s.lowest
        memcpy(s.best_path, s.path, sizeof(s.path))
        memcpy(s.best_group_jokers, s.group_jokers, sizeof(s.group_jokers))
    return cost


cdef i64 least_cost(const Search* s, const Cost* rows, int jokers) noexcept nogil:
    """What any path costs at least with so many jokers; IMPOSSIBLE where there is none for a colour by itself."""
    cdef int c
    for c in range(4):
        if rows[s.at[c] + jokers * s.stride] == 0:
            return IMPOSSIBLE
    return cost_with(s, rows, jokers)


cdef i64 cost_with(const Search* s, const Cost* rows, int jokers) noexcept nogil:
    """What any path costs at least with so many jokers."""
    cdef i64 sums[3][MAX_JOKERS + 1]
    spread(rows + s.at[0], s.stride, jokers, sums[0])
    join(sums[0], rows + s.at[1], s.stride, jokers, sums[1])
    joint_cost(s, sums[1], rows + s.at[2], jokers, sums[2])
    return best_split(s, sums[2], rows + s.at[3], jokers)


cdef void find_idle(Search* s, const Cost* rows) noexcept nogil:
    cdef int i
    for i in range(4, s.end):
        s.layer[i].idle = s.layer[i].most == 0 and not (s.problem.jokers and can_start(s, rows, &s.layer[i]))


cdef bint can_start(const Search* s, const Cost* rows, const SearchLayer* layer) noexcept nogil:
    """May a run of jokers begin here?"""
    cdef const Choice* choice
    cdef u32 i
    for i in range(layer.choices[0].count):
        choice = s.automata.choices + layer.choices[0].first + i
        if (0 < choice.b <= s.problem.jokers
                and rows[layer.row + choice.to + (s.problem.jokers - choice.b) * s.stride]):
            return True
    return False


cdef void to_start(Search* s) noexcept nogil:
    cdef int c
    for c in range(4):
        s.at[c] = row_at(s, c, 0)


cdef bint search(Search* s, const Cost* rows) noexcept nogil:
    """Find the best path; True when it is known that there is none, or that it is the best.

    False when it ended before: at the limit, and it can be called again to go on, or stopped.
    """
    cdef i64 ceiling, found
    forget_options(s)
    while s.lowest < IMPOSSIBLE:
        s.over = False
        s.best = ceiling = s.lowest + s.slack + 1
        found = search_from(s, rows, 4, 0, 0 if s.must_lay else s.laid_bit, s.problem.jokers, 0, 0)
        if s.over:
            to_start(s)                 # it left in the middle of a path
            return s.best <= s.lowest
        if s.best < ceiling:
            return True
        s.lowest = found
        s.slack += s.typical
    s.best = IMPOSSIBLE
    return True


# ---------------------------------------------------------------- rows

cdef void fill_wide_rows(const Search* s, i64* rows) noexcept nogil:
    cdef int n, c, q, j, shape, width = s.stride
    cdef u32 i, here, there
    cdef i64 value, best
    cdef const SearchLayer* layer
    cdef const Span* span
    cdef const Choice* choice
    for c in range(4):
        for q in range(s.problem.jokers + 1):
            here = row_at(s, c, s.problem.numbers) + q * width
            memset(rows + here, 0, width * sizeof(i64))
            rows[here] = s.whole
        for n in range(s.problem.numbers, 0, -1):
            layer = &s.layer[n << 2 | c]
            here = row_at(s, c, n - 1)
            there = layer.row
            for shape in range(width):
                span = &layer.choices[shape]
                for q in range(s.problem.jokers + 1):
                    best = 0
                    for i in range(span.count):
                        choice = s.automata.choices + span.first + i
                        j = choice.b + s.exchange[n].charge[c][choice.g]
                        if j <= q and layer.fewest <= choice.b <= layer.spare:
                            value = rows[there + (q - j) * width + choice.to]
                            if value:
                                best = max(best, value - layer.cost[choice.r + choice.g])
                    rows[here + q * width + shape] = best


cdef inline Lanes lowered(Lanes values, i64 cost) noexcept nogil:
    return less(values, fill(<int> cost)) if cost >= 0 else more(values, fill(<int> -cost))


# The best that each shape can come to with some tiles and jokers laid, see Edition.before. What is impossible is 0.

cdef inline Lanes with_few(const u8 (*shuffles)[2][2][16], int laid, Lanes low) noexcept nogil:
    """At most two are laid: only the first half matters, and no more long runs go on."""
    cdef Lanes best = moved(low, shuffles[0][0][0])
    if laid:
        best = larger(best, moved(low, shuffles[1][0][0]))
    if laid == 2:
        best = larger(best, moved(low, shuffles[2][0][0]))
    return best


cdef inline Lanes with_many(const u8 (*shuffles)[2][2][16], int to, Lanes low, Lanes high,
                            bint two_halves) noexcept nogil:
    """Three or more: one half of the result."""
    cdef Lanes best = moved(low, shuffles[0][to][0])
    cdef int on
    for on in range(1, MAX_OPEN_RUNS + 1):
        best = larger(best, moved(low, shuffles[on][to][0]))
    if two_halves:
        for on in range(MAX_OPEN_RUNS + 1):
            best = larger(best, moved(high, shuffles[on][to][1]))
    return best


cdef void fill_rows(const Search* s, Edition edition, bint priced, u16* rows) noexcept nogil:
    """The number of jokers is a constant in each case, for the compiler."""
    if s.problem.jokers == 0:
        fill_rows_for(s, edition, priced, rows, 0)
    elif s.problem.jokers == 1:
        fill_rows_for(s, edition, priced, rows, 1)
    else:
        fill_rows_for(s, edition, priced, rows, 2)


cdef inline void fill_rows_for(const Search* s, Edition edition, bint priced, u16* rows, int jokers) noexcept nogil:
    """Shapes beyond the first eight have three open runs or more: three tiles are laid next, a joker among them."""
    cdef Lanes low[3]
    cdef Lanes high[3]
    cdef Lanes new_low[3]
    cdef Lanes new_high[3]
    cdef Lanes from_low[3]
    cdef Lanes from_high[3]
    cdef Lanes nothing = fill(0)
    cdef Offers own
    cdef const Offers* offers
    cdef const Offer* offer
    cdef const Offer* end
    cdef const SearchLayer* layer
    cdef int n, c, q, laid, used
    cdef i64 unit
    cdef u16* row
    for c in range(4):
        row = rows + row_at(s, c, s.problem.numbers)
        memset(row, 0, (jokers + 1) * LANE_SHAPES * sizeof(u16))
        for q in range(jokers + 1):
            row[q * LANE_SHAPES] = WHOLE
            low[q] = load(row + q * LANE_SHAPES)
            high[q] = nothing
        for n in range(s.problem.numbers, 0, -1):
            layer = &s.layer[n << 2 | c]
            if priced and layer.most:
                make_offers(&own, jokers, 0, jokers, layer.must, layer.most, s.exchange[n].charge[c], layer.cost,
                            layer.price)
                offers = &own
                unit = 1
            elif layer.fewest or 0 < layer.spare < jokers:
                make_offers(&own, jokers, layer.fewest, layer.spare, layer.must, layer.most,
                            s.exchange[n].charge[c], layer.cost, layer.price)
                offers = &own
                unit = 1
            else:
                if layer.spare == jokers:
                    offers = &edition.offers[layer.must][layer.most][s.exchange[n].charges[c]]
                else:
                    offers = &edition.plain_offers[layer.must][layer.most][s.exchange[n].charges[c]]
                unit = layer.cost[layer.most - 1] if layer.most > layer.must else 0
            for q in range(jokers + 1):
                new_low[q] = nothing
                new_high[q] = nothing
            offer = &offers.offer[0]
            end = offer + offers.count
            laid = -1
            while offer != end:
                if offer.laid != laid:
                    laid = offer.laid
                    for q in range(jokers + 1):
                        if q + offer.jokers > jokers:
                            pass
                        elif laid <= 2:
                            from_low[q] = with_few(edition.before[laid], laid, low[q])
                        else:
                            from_low[q] = with_many(edition.before[laid], 0, low[q], high[q], q > 0)
                            from_high[q] = with_many(edition.before[laid], 1, low[q], high[q], q > 0)
                for used in range(jokers + 1):
                    if used == offer.jokers:
                        for q in range(used, jokers + 1):
                            new_low[q] = larger(new_low[q], lowered(from_low[q - used], unit * offer.cost))
                            if laid > 2:
                                new_high[q] = larger(new_high[q], lowered(from_high[q - used], unit * offer.cost))
                offer += 1
            row = rows + row_at(s, c, n - 1)
            for q in range(jokers + 1):
                low[q] = new_low[q]
                high[q] = new_high[q]
                store(row + q * LANE_SHAPES, low[q])
                store(row + q * LANE_SHAPES + LANES, high[q])


# ---------------------------------------------------------------- shifting costs between colours

# Prices come from the shortest paths of each colour by itself, jokers at a price, forwards and backwards. The paths
# need not be exact, since any prices that share out what the groups cost make valid bounds: shapes beyond the first
# eight are left out.
#
# A joker in a group that no colour is charged for is paid for by the prices, up to the joker's price. In return a bound
# may hand in jokers at that price (joint_cost).

cdef inline void step_forth_or_back(const Search* s, const u8 (*shuffles)[MAX_OPEN_RUNS + 1][2][2][16], int c, int n,
                                    Lanes values, Lanes* given) noexcept nogil:
    """given[g]: what each shape comes to when the colour gives g tiles to groups, without their price."""
    cdef Lanes steps[3]
    cdef const SearchLayer* layer = &s.layer[n << 2 | c]
    cdef int r, g, laid
    for laid in range(min(2, layer.most + s.problem.jokers) + 1):
        steps[laid] = with_few(shuffles[laid], laid, values)
    for g in range(layer.most + 1):
        given[g] = fill(0)
        for r in range(max(0, layer.must - g), layer.most - g + 1):
            for laid in range(r, min(2, r + s.problem.jokers) + 1):
                given[g] = larger(given[g], lowered(steps[laid], layer.cost[r + g] + s.joker_price * (laid - r)))


cdef void shift_costs(Search* s, Edition edition, u16* rows) noexcept nogil:
    """Set prices: one pass forwards, one backwards that moves costs at each number, the far side being known.

    Fills the rows that go with the prices.
    """
    cdef u16 forth[4][16][LANES]
    cdef Lanes values[4]
    cdef Lanes given[4][3]
    cdef int n, c, g
    start_prices(s)
    for c in range(4):
        memset(forth[c][0], 0, sizeof(forth[c][0]))
        forth[c][0][0] = WHOLE
        values[c] = load(forth[c][0])
        for n in range(1, s.problem.numbers):
            step_forth_or_back(s, edition.after, c, n, values[c], given[0])
            values[c] = with_prices(s, c, n, given[0])
            store(forth[c][n], values[c])
        values[c] = load(forth[c][0])
        if s.problem.jokers == 0:
            store(rows + row_at(s, c, s.problem.numbers), values[c])
    for n in range(s.problem.numbers, 0, -1):
        for c in range(4):
            step_forth_or_back(s, edition.before, c, n, values[c], given[c])
        if s.exchange[n].vectors.count > 1:
            exchange_costs(s, edition, n, given, forth)
        for c in range(4):
            values[c] = with_prices(s, c, n, given[c])
            if s.problem.jokers == 0:
                store(rows + row_at(s, c, n - 1), values[c])
    if s.problem.jokers == 0:                       # the paths were exact: they have no more than eight shapes
        return
    for n in range(1, s.problem.numbers + 1):       # what is charged is not paid as well
        for c in range(4):
            for g in range(1, s.layer[n << 2 | c].most + 1):
                s.layer[n << 2 | c].price[g] -= s.joker_price * s.exchange[n].charge[c][g]
    fill_rows(s, edition, True, rows)


cdef void start_prices(Search* s) noexcept nogil:
    cdef int n, c, g
    for n in range(1, s.problem.numbers + 1):
        for c in range(4):
            s.layer[n << 2 | c].price[0] = 0
            for g in range(1, s.layer[n << 2 | c].most + 1):
                s.layer[n << 2 | c].price[g] = s.joker_price * s.exchange[n].charge[c][g]


cdef inline Lanes with_prices(const Search* s, int c, int n, const Lanes* given) noexcept nogil:
    cdef Lanes best = lowered(given[0], s.layer[n << 2 | c].price[0])
    cdef int g
    for g in range(1, s.layer[n << 2 | c].most + 1):
        if s.exchange[n].charge[c][g] <= s.problem.jokers:
            best = larger(best, lowered(given[g], s.layer[n << 2 | c].price[g]))
    return best


cdef void exchange_costs(Search* s, Edition edition, int n, const Lanes (*given)[3],
                         const u16 (*forth)[16][LANES]) noexcept nogil:
    """New prices at a number: the colours share equally what every possible multiset of groups costs in all."""
    cdef i64 cost[4][3]         # of the best path of a colour that gives g tiles, this number's prices aside
    cdef i64 total[MAX_VECTORS]
    cdef i64 share[3]
    cdef i64 price[4][3]
    cdef i64 before = 0, after = IMPOSSIBLE, least
    cdef const Vector* vectors = &edition.vectors[s.exchange[n].vectors.first]
    cdef int i, c, g, count = s.exchange[n].vectors.count, sharing = 0
    for c in range(4):
        sharing += s.layer[n << 2 | c].most > 0
        least = IMPOSSIBLE
        for g in range(s.layer[n << 2 | c].most + 1):
            cost[c][g] = 2 * WHOLE - 65535 - largest(less(given[c][g], less(fill(65535), load(forth[c][n - 1]))))
            least = min(least, cost[c][g])
        for g in range(s.layer[n << 2 | c].most + 1):
            cost[c][g] = min(cost[c][g], least + MOST_SHIFT // 2)       # what is impossible costs that much
        least = IMPOSSIBLE
        for g in range(s.layer[n << 2 | c].most + 1):
            if s.exchange[n].charge[c][g] <= s.problem.jokers:
                least = min(least, cost[c][g] + s.layer[n << 2 | c].price[g])
        before += least
    for i in range(count):
        total[i] = s.joker_price * vectors[i].jokers
        for c in range(4):
            total[i] += cost[c][vectors[i].given[c]]
        after = min(after, total[i])
    if after <= before:
        return
    for c in range(4):
        if s.layer[n << 2 | c].most == 0:
            for i in range(count):
                total[i] -= cost[c][0]
    for c in range(4):
        if s.layer[n << 2 | c].most == 0:
            continue
        for g in range(3):
            share[g] = IMPOSSIBLE
        for i in range(count):
            g = vectors[i].given[c]
            share[g] = min(share[g], total[i])
        for g in range(s.layer[n << 2 | c].most + 1):
            price[c][g] = MOST_SHIFT
            if share[g] < IMPOSSIBLE:
                share[g] = (share[g] + sharing - 1) // sharing if share[g] >= 0 else -(-share[g] // sharing)
                price[c][g] = min(price[c][g], share[g] - cost[c][g])
                if price[c][g] < -MOST_SHIFT:
                    return
        for i in range(count):
            total[i] -= share[vectors[i].given[c]]
        sharing -= 1
    for c in range(4):
        for g in range(s.layer[n << 2 | c].most + 1):
            if s.layer[n << 2 | c].most:
                s.layer[n << 2 | c].price[g] = price[c][g]


cdef i64 price_of_jokers(const Search* s, const u16* rows) noexcept nogil:
    """What the cost falls with each of the last two jokers."""
    cdef i64 highest = min(<i64> 3 * MOST_SHIFT, 4 * s.typical)
    cdef int jokers = s.problem.jokers, fewer = max(0, jokers - 2), c
    if jokers == 0:
        return 0
    for c in range(4):
        if rows[s.at[c] + fewer * s.stride] == 0:
            return highest
    return min(highest, (cost_with(s, rows, fewer) - cost_with(s, rows, jokers)) // (jokers - fewer))


# ---------------------------------------------------------------- the whole

cdef class Arena:           # all memory of a search
    cdef Search search
    cdef u16 rows[NARROW_ROWS]
    cdef u16 priced_rows[NARROW_ROWS]
    cdef vector[i64] wide_rows

    def __cinit__(self, Edition edition):
        cdef const Automata* a = &edition.tables.automata
        self.wide_rows.resize(64 * (a.jokers + 1) * a.shapes)
        memset(&self.search, 0, sizeof(Search))
        self.search.memos[0] = <Memo*> calloc(MEMO_ROOM, sizeof(Memo))
        self.search.spans = <OptionSpan*> calloc(64 * a.shapes, sizeof(OptionSpan))
        self.search.options = <Option*> malloc(64 * a.shapes * edition.most_choices * (a.jokers + 1) * sizeof(Option))
        if self.search.memos[0] == NULL or self.search.spans == NULL or self.search.options == NULL:
            raise MemoryError()

    def __dealloc__(self):
        cdef int size
        for size in range(MEMO_SIZES):
            free(self.search.memos[size])
        free(self.search.spans)
        free(self.search.options)


cdef dict editions = {}     # of Tables


cdef Edition edition_of(Tables tables):
    edition = editions.get(tables)
    if edition is None:
        edition = editions.setdefault(tables, Edition(tables))
    return edition


cdef bint small_gains(const Problem* problem, const Objective* objective, i64 (*tile)[16], i64* joker) noexcept nogil:
    """The objective in smaller numbers that order the plays of this problem alike; False where they are not small."""
    cdef i64 points = 1 + (problem.jokers - problem.must_jokers) * objective.joker_points
    cdef i64 tiles = 1 + problem.jokers - problem.must_jokers
    cdef i64 cost
    cdef int n, c
    for c in range(4):
        for n in range(1, problem.numbers + 1):
            tiles += problem.most[c][n] - problem.must[c][n]
            points += problem.value[n] * (problem.most[c][n] - problem.must[c][n])
    joker[0] = small_gain(objective, objective.joker_points, tiles, points)
    for c in range(4):
        cost = 0
        for n in range(1, problem.numbers + 1):
            tile[c][n] = small_gain(objective, problem.value[n], tiles, points)
            cost += tile[c][n] * (problem.most[c][n] - problem.must[c][n])
        if cost > NARROW_COST:
            return False
    return True


cdef inline i64 small_gain(const Objective* objective, i64 own_points, i64 tiles, i64 points) noexcept nogil:
    """`tiles` and `points` are more than a play can have."""
    if not objective.ties:
        return own_points if objective.kind == POINTS else 1
    return own_points * tiles + 1 if objective.kind == POINTS else points + own_points


cdef void set_costs(Search* s, const i64 (*gain)[16], i64 joker) noexcept nogil:
    """What is not laid costs its gain; what is laid at a loss costs that."""
    cdef int n, c, x, optional = s.problem.jokers - s.problem.must_jokers
    cdef i64 lowest = llabs(joker), highest = lowest, own
    cdef SearchLayer* layer
    for x in range(s.problem.jokers + 1):
        if x > optional:
            s.joker_cost[x] = IMPOSSIBLE
        else:
            s.joker_cost[x] = x * joker if joker >= 0 else (optional - x) * -joker
    s.nothing = s.joker_cost[optional]
    for n in range(1, s.problem.numbers + 1):
        for c in range(4):
            layer = &s.layer[n << 2 | c]
            own = gain[c][n]
            for x in range(layer.must, layer.most + 1):
                layer.cost[x] = (layer.most - x) * own if own >= 0 else (x - layer.must) * -own
            if layer.most > layer.must:
                s.nothing += layer.cost[layer.must]
                lowest = min(lowest, llabs(own))
                highest = max(highest, llabs(own))
    s.typical = (lowest + highest) // 2 + 1


cdef bint set_up(Search* s, Edition edition, const Problem* problem, const Objective* objective) noexcept nogil:
    """Costs, tables and budgets of a problem. True where narrow rows will do."""
    cdef const Automata* a = &edition.tables.automata
    cdef i64 gain[4][16]
    cdef i64 joker
    cdef int n, c, g, place
    cdef SearchLayer* layer
    cdef bint narrow = edition.lanes and objective.kind != WEIGHTS and small_gains(problem, objective, gain, &joker)
    if not narrow:
        memcpy(gain, objective.tile, sizeof(gain))
        joker = objective.joker
    s.problem = problem
    s.automata = a
    s.whole = WHOLE if narrow else WIDE_WHOLE
    s.stride = LANE_SHAPES if narrow else a.shapes
    s.shape_bits = bit_width(a.shapes - 1)
    s.shape_mask = (1u << s.shape_bits) - 1
    s.laid_bit = <u64> 16 << 4 * s.shape_bits
    s.end = (problem.numbers + 1) << 2
    for n in range(1, problem.numbers + 1):
        place = 0
        for c in range(3, -1, -1):
            layer = &s.layer[n << 2 | c]
            layer.must = problem.must[c][n]
            layer.most = problem.most[c][n]
            layer.fewest = problem.joker_rules.fewest_in_runs[c][n] if problem.joker_rules != NULL else 0
            layer.spare = min(most_in_runs(problem, c, n), problem.jokers)
            layer.choices = a.choice_spans + (layer.must << 2 | layer.most) * a.shapes
            layer.row = row_at(s, c, n)
            layer.shift = c * s.shape_bits
            layer.broken_shift = 4 * s.shape_bits + c
            layer.pair_bits = ((<u64> s.shape_mask << s.shape_bits) | s.shape_mask) << layer.shift
            for g in range(MAX_COPIES + 1):
                layer.price[g] = 0
            place = place * (a.copies + 1) + layer.most
        s.groups[n] = a.groups + place
        s.exchange[n] = exchange_at(edition, place, min(most_in_groups(problem, n), problem.jokers),
                                    problem.joker_rules.fewest_in_groups[n] if problem.joker_rules != NULL else 0)
        for c in range(4):
            s.layer[n << 2 | c].next = s.groups[n].next[c]
    to_start(s)
    set_costs(s, gain, joker)
    s.joker_price = 0
    s.must_lay = problem.lay and objective.kind == WEIGHTS
    s.traits = edition.traits.data()
    s.slack = 0
    s.steps = 0
    s.limit = NO_LIMIT
    s.checkpoint = 0
    s.stopped = False
    forget(s)
    return narrow


cdef u64 patience(const Problem* problem) noexcept nogil:
    """Steps before costs are shifted. In a crowded position the first path is nearly always a best one."""
    cdef int n, c, tiles = 0, hand = problem.jokers - problem.must_jokers
    for c in range(4):
        for n in range(1, problem.numbers + 1):
            tiles += problem.most[c][n]
            hand += problem.most[c][n] - problem.must[c][n]
    if hand >= 10 and tiles + 8 * problem.jokers < 64:
        return 0
    return 600 if problem.jokers else 150


cdef bint solve(Arena arena, Edition edition, const Problem* problem, const Objective* objective) noexcept nogil:
    """Leaves the best path in the arena's search; False where there is none that may be played."""
    cdef Search* s = &arena.search
    if set_up(s, edition, problem, objective):
        search_narrow(arena, edition)
    else:
        fill_wide_rows(s, arena.wide_rows.data())
        find_idle(s, <const i64*> arena.wide_rows.data())
        s.lowest = least_cost(s, <const i64*> arena.wide_rows.data(), s.problem.jokers)
        search(s, <const i64*> arena.wide_rows.data())
    # with gains alone nothing is laid only where nothing can be
    return not s.stopped and s.best < IMPOSSIBLE and not (problem.lay and not s.must_lay and s.best == s.nothing)


cdef void search_narrow(Arena arena, Edition edition) noexcept nogil:
    cdef Search* s = &arena.search
    cdef i64 plain, tighter
    cdef int i, g
    fill_rows(s, edition, False, arena.rows)
    find_idle(s, <const u16*> arena.rows)
    plain = s.lowest = least_cost(s, <const u16*> arena.rows, s.problem.jokers)
    s.limit = patience(s.problem)
    if s.limit and search(s, <const u16*> arena.rows) or s.stopped:
        return
    s.limit = NO_LIMIT
    s.joker_price = price_of_jokers(s, arena.rows)
    shift_costs(s, edition, arena.priced_rows)
    tighter = least_cost(s, <const u16*> arena.priced_rows, s.problem.jokers)
    if tighter > plain:
        s.lowest = max(s.lowest, tighter)
        search(s, <const u16*> arena.priced_rows)
        return
    s.joker_price = 0
    for i in range(4, s.end):
        for g in range(MAX_COPIES + 1):
            s.layer[i].price[g] = 0
    search(s, <const u16*> arena.rows)


# ---------------------------------------------------------------- the sets of a path

cdef int write_sets(const Search* s, u32* codes) noexcept nogil:
    """The best path's first arrangement: at each choice the first step, way and layout of groups that fit it."""
    cdef OpenRun runs[2][4][MAX_OPEN]
    cdef int state[4]
    cdef int n, c, count = 0, given, _open
    cdef const Choice* choice
    cdef const Step* step
    memset(state, 0, sizeof(state))
    for n in range(1, s.problem.numbers + 1):
        given = 0
        for c in range(4):
            choice = s.best_path[n << 2 | c]
            if choice == NULL:
                continue
            step = first_step(s, c, n, state[c], choice)
            count = take_way(s.automata, s.automata.ways + step.way, c, n, runs[n & 1 ^ 1][c], runs[n & 1][c], &_open,
                             codes, count)
            state[c] = step.to
            given |= choice.g << 2 * c
        count = lay_groups(s.automata, n, given, s.best_group_jokers[n], 0, codes, count)
    return count


cdef const Step* first_step(const Search* s, int c, int n, int state, const Choice* choice) noexcept nogil:
    """Every state of a shape has such a step for each choice of the shape."""
    cdef const SearchLayer* layer = &s.layer[n << 2 | c]
    cdef const Step* step = s.automata.steps + step_span(s.automata, layer.must, layer.most, layer.most, state).first
    while not (step.r == choice.r and step.g == choice.g and step.b == choice.b
               and s.automata.shape_of[step.to] == choice.to):
        step += 1
    return step


# ---------------------------------------------------------------- for other searches

cdef void look_at(const Search* s, const Cost* rows, const int* at, int jokers, i64* three) noexcept nogil:
    """The joint cost of the three colours that stand at these rows; IMPOSSIBLE in three[0] where one cannot finish."""
    cdef i64 dense[MAX_JOKERS + 1]
    cdef i64 two[MAX_JOKERS + 1]
    cdef int i
    for i in range(3):
        if rows[at[i] + jokers * s.stride] == 0:
            three[0] = IMPOSSIBLE
            return
    spread(rows + at[0], s.stride, jokers, dense)
    join(dense, rows + at[1], s.stride, jokers, two)
    joint_cost(s, two, rows + at[2], jokers, three)


cdef inline i64 least_with(const Search* s, const i64* three, const Cost* row, int jokers) noexcept nogil:
    if three[0] == IMPOSSIBLE or row[jokers * s.stride] == 0:
        return IMPOSSIBLE
    return best_split(s, three, row, jokers)


cdef class Bounds:
    def __cinit__(self, Tables tables not None):
        self.edition = edition_of(tables)
        self.arena = Arena(self.edition)
        self.search = &(<Arena> self.arena).search

    cdef void reset(self, const Problem* problem, const Objective* objective) noexcept nogil:
        cdef Search* s = self.search
        cdef int n
        self.narrow = set_up(s, <Edition> self.edition, problem, objective)
        if self.narrow:
            fill_rows(s, <Edition> self.edition, False, (<Arena> self.arena).rows)
        else:
            fill_wide_rows(s, (<Arena> self.arena).wide_rows.data())
        self.typical = s.typical
        self.reserved[problem.numbers + 1] = 0
        for n in range(problem.numbers, 0, -1):
            self.reserved[n] = self.reserved[n + 1]
            if problem.joker_rules != NULL:
                self.reserved[n] += problem.joker_rules.fewest_in_groups[n]

    cdef i64 least(self, const Plan* plan, const Layer* layer, u64 key) noexcept nogil:
        cdef Search* s = self.search
        cdef int c, passed = layer.colour + 1 if layer != NULL else 4, number = layer.number if layer != NULL else 0
        cdef int jokers = jokers_left(plan, key, number, passed) - self.reserved[number + (passed == 4)]
        if jokers < 0:
            return IMPOSSIBLE
        for c in range(4):
            s.at[c] = self.row_of(plan, key, c, number if c < passed else number - 1)
        if self.narrow:
            return least_cost(s, <const u16*> (<Arena> self.arena).rows, jokers)
        return least_cost(s, <const i64*> (<Arena> self.arena).wide_rows.data(), jokers)

    cdef int row_of(self, const Plan* plan, u64 key, int colour, int number) noexcept nogil:
        """The row where a colour of the frontier stands, no jokers."""
        return row_at(self.search, colour, number) + plan.automata.shape_of[state_of(plan, key, colour)]

    cdef void look(self, const Plan* plan, const Layer* layer, u64 key) noexcept nogil:
        cdef Search* s = self.search
        cdef int c, others = 0, jokers = jokers_left(plan, key, layer.number, layer.colour)
        cdef int at[3]
        for c in range(4):
            if c != layer.colour:
                at[others] = self.row_of(plan, key, c, layer.number if c < layer.colour else layer.number - 1)
                others += 1
        self.others_need = (jokers - slack_of(plan, key) - self.reserved[layer.number + layer.last] - states_at(
            plan.need, plan, layer.colour, layer.number - 1)[state_of(plan, key, layer.colour)])
        self.most_left = jokers - self.reserved[layer.number]
        self.row = row_at(s, layer.colour, layer.number)
        self.needs = states_at(plan.need, plan, layer.colour, layer.number)
        if self.most_left < 0:
            self.three[0] = IMPOSSIBLE
        elif self.narrow:
            look_at(s, <const u16*> (<Arena> self.arena).rows, at, self.most_left, self.three)
        else:
            look_at(s, <const i64*> (<Arena> self.arena).wide_rows.data(), at, self.most_left, self.three)

    cdef i64 least_behind(self, const Plan* plan, int state, int slack) noexcept nogil:
        cdef Search* s = self.search
        cdef int left = min(slack + self.others_need + self.needs[state], self.most_left)
        cdef int row = self.row + plan.automata.shape_of[state]
        if left < 0:
            return IMPOSSIBLE
        if self.narrow:
            return least_with(s, self.three, <const u16*> (<Arena> self.arena).rows + row, left)
        return least_with(s, self.three, <const i64*> (<Arena> self.arena).wide_rows.data() + row, left)

    cdef i64 tile_cost(self, int colour, int number, int used) noexcept nogil:
        return self.search.layer[number << 2 | colour].cost[used]

    cdef i64 joker_cost(self, int left) noexcept nogil:
        return self.search.joker_cost[left]

    cdef void find_passed(self, const Plan* plan, i64* passed) noexcept nogil:
        cdef const Problem* p = plan.problem
        cdef int at = 0, n, c
        memset(passed, 0, (plan.layers + 1) * sizeof(i64))
        for n in range(1, p.numbers + 1):
            for c in range(4):
                if at < plan.layers and plan.layer[at].number == n and plan.layer[at].colour == c:
                    at += 1
                else:
                    passed[at] += self.tile_cost(c, n, p.must[c][n])

    cdef i64 cost_of(self, const u32* codes, int count) noexcept nogil:
        cdef const Problem* p = self.search.problem
        cdef u8 used[COLOURS][ROOM]
        cdef int i, c, n, jokers = p.jokers
        cdef i64 cost = 0
        memset(used, 0, sizeof(used))
        for i in range(count):
            jokers -= add_tiles(codes[i], used)
        for n in range(1, p.numbers + 1):
            for c in range(4):
                cost += self.tile_cost(c, n, used[c][n])
        return cost + self.joker_cost(jokers)


# ---------------------------------------------------------------- for callers

cdef class Solver:
    def __cinit__(self, Tables tables not None):
        cdef Edition edition = edition_of(tables)
        self.edition = edition
        self.arena = Arena(edition)

    cdef int best(self, const Problem* problem, const Objective* objective, u32* codes) noexcept nogil:
        cdef Search* s = &(<Arena> self.arena).search
        cdef int count = -1
        if solve(<Arena> self.arena, <Edition> self.edition, problem, objective):
            count = write_sets(s, codes)
        drop_large_memos(s)
        if problem.work != NULL:
            problem.work.steps += s.steps
        return STOPPED_EARLY if s.stopped else count


cdef int best_arrangement(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2:
    cdef list idle = edition_of(tables).idle
    cdef Solver solver = idle.pop() if idle else Solver(tables)
    cdef int count
    with nogil:
        count = solver.best(problem, objective, codes)
    idle.append(solver)
    if count == STOPPED_EARLY:
        raise_due(problem.stop)
    return count
