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

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from meldcore.bits cimport bit_width, i64, u8, u16, u32, u64
from meldcore.lanes cimport Lanes, fill, larger, largest, less, load, more, moved, store
from meldcore.objective cimport POINTS, WEIGHTS, Objective
from meldcore.position cimport Position
from meldcore.objective cimport read_objective
from meldcore.problem cimport MAX_SETS, Problem
from meldcore.sets cimport LENGTH_BIT, group_code, run_code, set_length
from meldcore.tables cimport (
    MAX_COPIES, MAX_JOKERS, NEW_RUN, Automata, Choice, Groups, Part, Span, Step, Tables, Way, choice_span, layout_span,
    step_span,
)

from time import perf_counter

cdef extern from *:
    """
    static const int64_t MELDCORE_IMPOSSIBLE = (int64_t) 1 << 62;
    """
    const i64 IMPOSSIBLE "MELDCORE_IMPOSSIBLE"

# A row holds WHOLE - cost, 0 where the shape cannot finish. Sums of four 64-bit rows and a budget fit 64 bits.
cdef enum:
    WHOLE = 50000           # of a 16-bit row
    ROW_COST = 24000        # costs of one colour that 16-bit rows have room for, shifting included
    MOST_SHIFT = 1000       # at one place
    LANES = 8
    LANE_SHAPES = 2 * LANES
    MAX_OPEN_RUNS = 4       # of a colour, in automata that lanes are used for
    BARRED = 4 * MOST_SHIFT # the price of what no groups allow
cdef i64 WIDE_WHOLE = <i64> 1 << 60

cdef enum:
    MAX_VECTORS = 81        # of tiles to groups, 2 copies
    MAX_OFFERS = 32
    PATIENCE = 1200         # steps before costs are shifted; fewer, or none, where it can be told to pay
    MEMO_ROOM = 1 << 9      # to begin with
    MEMO_LIMIT = 1 << 21    # beyond that nothing is remembered any more


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
    Span vectors                    # in Edition.vectors

cdef class Edition:
    """Derived from `Tables` once."""
    cdef Tables tables
    cdef bint lanes                 # the shapes are those of lane_place, and few enough
    cdef bint going_on_first        # of choices that differ in this only, the one that leaves more runs open comes first
    cdef vector[Exchange] exchanges     # [vector of most tiles by colour], see Automata.groups
    cdef vector[Vector] vectors
    cdef Offers offers[3][3][16]        # [must][most][charges of one and two tiles], cost in tiles that are not laid
    # Byte shuffles of lanes.moved, [tiles laid][runs that go on beyond three tiles][half to][half from]: what follows or
    # precedes each shape.
    cdef u8 before[MAX_OPEN_RUNS + 1][MAX_OPEN_RUNS + 1][2][2][16]
    cdef u8 after[MAX_OPEN_RUNS + 1][MAX_OPEN_RUNS + 1][2][2][16]
    cdef u8 need_two[LANE_SHAPES]       # open runs of each shape that need two more tiles, and one
    cdef u8 need_one[LANE_SHAPES]
    cdef list idle                      # arenas that no thread uses

    def __init__(self, Tables tables):
        self.tables = tables
        self.idle = []
        cdef const Automata* a = &tables.automata
        cdef int size = (a.copies + 1) ** 4, vector
        self.exchanges.resize(size)
        for vector in range(size):
            list_vectors(self, vector)
        self.lanes = a.copies <= 2 and a.jokers <= 2 and tables.max_jokers_per_set is None
        if self.lanes:
            number_shapes(self)
            list_offers(self)


cdef inline int lane_place(int need_two, int need_one) noexcept nogil:
    return (need_two + need_one) * (need_two + need_one + 1) // 2 + need_two


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


cdef int list_vectors(Edition self, int vector) except -1:
    """All that can be given to groups where the colours have at most `vector`, and the charges."""
    cdef const Automata* a = &self.tables.automata
    cdef Exchange* e = &self.exchanges[vector]
    cdef Vector v
    cdef int i, c, d, g, left, code = vector
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
            left = least_jokers(&a.groups[vector], v.given)
            if 0 <= left <= a.jokers:
                v.jokers = left
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
    return 0


cdef int number_shapes(Edition self) except -1:
    """The order of shapes is that of lane_place: by open runs, then by those that need two more tiles."""
    cdef const Automata* a = &self.tables.automata
    cdef int runs, two, one, laid, on, here, there, half
    cdef Span span
    cdef const Choice* choice
    if a.shapes != lane_place(0, a.copies + a.jokers + 1):
        raise AssertionError("run shapes are not numbered as lanes are")
    memset(self.before, 128, sizeof(self.before))
    memset(self.after, 128, sizeof(self.after))
    for runs in range(MAX_OPEN_RUNS + 1):
        for two in range(runs + 1):
            one = runs - two
            here = lane_place(two, one)
            self.need_two[here] = two
            self.need_one[here] = one
            for laid in range(runs, MAX_OPEN_RUNS + 1):
                for on in range(one + 1):
                    there = lane_place(laid - runs, two + on)
                    for half in range(2):
                        self.before[laid][on][here >> 3][there >> 3][2 * (here & 7) + half] = 2 * (there & 7) + half
                        self.after[laid][on][there >> 3][here >> 3][2 * (there & 7) + half] = 2 * (here & 7) + half
    self.going_on_first = True
    for here in range(a.shapes):
        span = choice_span(a, 0, a.copies, here)
        for there in range(1, <int> span.count):
            choice = a.choices + span.first + there
            if choice.r == choice[-1].r and choice.g == choice[-1].g and choice.b == choice[-1].b:
                self.going_on_first &= choice.to < choice[-1].to
    return 0


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
                make_offers(&self.offers[must][most][charges], self.tables.jokers, must, most, charge, left, price)
    return 0


cdef void make_offers(Offers* out, int jokers, int must, int most, const u8* charge, const i64* cost,
                      const i64* price) noexcept nogil:
    """`cost` by tiles laid, `price` by tiles given to groups. An offer no cheaper than one with fewer jokers is left out."""
    cdef i64 best[MAX_OPEN_RUNS + 1][3]
    cdef int r, g, b, laid, j
    cdef i64 lowest
    for laid in range(most + jokers + 1):
        for j in range(jokers + 1):
            best[laid][j] = IMPOSSIBLE
    for g in range(most + 1):
        for r in range(max(0, must - g), most - g + 1):
            for b in range(jokers - charge[g] + 1):
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

cdef struct Search:
    const Problem* problem
    const Automata* automata
    const Groups* groups[16]            # [number]
    const Exchange* exchange[16]
    const Span* choices[4][16]          # [colour][number] -> of each shape
    i64 cost[4][16][MAX_COPIES + 1]     # [colour][number][tiles laid], for what is not laid
    i64 price[4][16][MAX_COPIES + 1]    # [colour][number][tiles given to groups]: costs shifted here
    i64 joker_price                     # what the prices of any groups come to at most, for each joker not charged
    i64 joker_cost[MAX_JOKERS + 1]      # [jokers left at the end]
    i64 step                            # by which budgets grow
    i64 whole
    int stride                          # shapes in a row
    int shape_bits
    bint idle[4][16]                    # without open runs nothing can happen here
    bint merging                        # see `broken` in `search_from`
    const u8* need_two
    const u8* need_one
    # the path so far
    u32 at[4]                           # the row where each colour stands, without jokers
    const Choice* path[16][4]           # NULL: nothing happens
    u8 group_jokers[16]
    # the best so far
    i64 best
    const Choice* best_path[16][4]
    u8 best_group_jokers[16]
    u64 steps
    u64 limit
    bint stopped                        # at the limit
    # the memo, open addressing; keys of other searches count as free
    Memo* memo
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
    return (colour << 4 | number) * (s.problem.jokers + 1) * s.stride


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
        if 2 * s.memo_used > s.memo_mask and not grow_memo(s):
            return
        entry = find_memo(s, key)
        entry.key = key
        s.memo_used += 1
    entry.bound = bound


cdef bint grow_memo(Search* s) noexcept nogil:
    cdef Memo* old = s.memo
    cdef u64 i, room = s.memo_mask + 1
    cdef Memo* fresh
    if 4 * room > MEMO_LIMIT:
        return False
    fresh = <Memo*> calloc(4 * room, sizeof(Memo))
    if fresh == NULL:
        return False
    s.memo = fresh
    s.memo_mask = 4 * room - 1
    for i in range(room):
        if old[i].key >> KEY_BITS == s.generation:
            find_memo(s, old[i].key)[0] = old[i]
    free(old)
    return True


cdef inline void forget(Search* s) noexcept nogil:
    s.memo_used = 0
    s.generation += 1
    if s.generation >> (64 - KEY_BITS):
        s.generation = 1
        memset(s.memo, 0, (s.memo_mask + 1) * sizeof(Memo))


cdef inline void split_jokers(const Search* s, const Cost* rows, u32 x, u32 y, u32 z, int jokers,
                              i64* cost) noexcept nogil:
    """cost[j]: what three colours that stand at the rows x, y and z cost at least together, with at most j jokers."""
    cdef const Cost* a = rows + x
    cdef const Cost* b = rows + y
    cdef const Cost* c = rows + z
    cdef i64 two[MAX_JOKERS + 1]
    cdef i64 most
    cdef int i, j, w = s.stride
    two[0] = <i64> a[0] + b[0]
    cost[0] = 3 * s.whole - (two[0] + c[0])
    if jokers == 0:
        return
    two[1] = max(<i64> a[0] + b[w], <i64> a[w] + b[0])
    cost[1] = min(cost[0] - s.joker_price, 3 * s.whole - max(two[0] + c[w], two[1] + c[0]))
    for j in range(2, jokers + 1):
        two[j] = <i64> a[0] + b[j * w]
        for i in range(1, j + 1):
            two[j] = max(two[j], <i64> a[i * w] + b[(j - i) * w])
        most = two[0] + c[j * w]
        for i in range(1, j + 1):
            most = max(most, two[i] + c[(j - i) * w])
        cost[j] = min(cost[j - 1] - s.joker_price, 3 * s.whole - most)


cdef inline i64 best_split(const Search* s, const i64* others, const Cost* row, int jokers) noexcept nogil:
    """What four colours cost at least: one stands at `row`, see split_jokers for the others."""
    cdef i64 least = others[jokers] - row[0]
    cdef int i
    for i in range(jokers):
        least = min(least, others[i] - row[(jokers - i) * s.stride])
    return least + s.whole


cdef i64 search_from(Search* s, const Cost* rows, int n, int c, int group_class, u64 frontier, int jokers, i64 spent,
                     i64 prices) noexcept nogil:
    """Find the paths from here that cost less than the best so far; returns what any path from here costs at least.

    group_class: of what the colours before c give to the groups of n. frontier: the shapes of the four colours, a bit
    for each that is broken, and one that says that something optional has been laid. jokers: left. spent: the cost so
    far. prices: of what the colours before c give to the groups of n.

    A colour is broken when a long run has just ended. A run that begins right there could as well have gone on, at the
    same cost, and a path where it does comes earlier: it need not be looked at.
    """
    cdef u32 shape_mask = (1u << s.shape_bits) - 1
    cdef int broken_at = 4 * s.shape_bits
    cdef u64 laid_bit = <u64> 16 << broken_at
    cdef int j, next_class
    while n <= s.problem.numbers and s.idle[c][n] and not frontier >> c * s.shape_bits & shape_mask:
        if c == 3 and group_class != 0:
            break
        next_class = s.groups[n].next[c][group_class][0]
        if next_class < 0:
            return IMPOSSIBLE
        s.path[n][c] = NULL
        frontier &= ~(<u64> 1 << (broken_at + c))
        group_class = next_class
        c += 1
        if c == 4:
            s.group_jokers[n] = 0
            group_class = c = 0
            prices = 0
            n += 1
    if n > s.problem.numbers:
        return finish(s, (frontier & laid_bit) != 0, jokers, spent)

    cdef u64 key = (s.generation << KEY_BITS | frontier << 14 | <u64> (n << 2 | c) << 8 | <u64> (group_class << 3)
                    | <u64> jokers)
    cdef const Memo* known
    if c < 3:
        known = find_memo(s, key)
        if known.key == key and spent + known.bound >= s.best:
            return known.bound
    s.steps += 1
    if s.steps > s.limit:
        s.stopped = True
        return IMPOSSIBLE

    cdef i64 others[MAX_JOKERS + 1]
    split_jokers(s, rows, s.at[c == 0], s.at[2 if c <= 1 else 1], s.at[2 if c == 3 else 3], jokers, others)
    cdef int shape = frontier >> c * s.shape_bits & shape_mask
    cdef bint broken = frontier >> (broken_at + c) & 1
    cdef u64 rest = frontier & ~(<u64> shape_mask << c * s.shape_bits | <u64> 1 << (broken_at + c))
    cdef u64 after
    cdef const Span* span = &s.choices[c][n][shape]
    cdef const Choice* choice = s.automata.choices + span.first
    cdef const Choice* end = choice + span.count
    cdef const i8* next_classes = s.groups[n].next[c][group_class]
    cdef const Cost* row
    cdef i64 cost, bound, least = IMPOSSIBLE
    cdef u32 here = row_at(s, c, n), old = s.at[c]
    cdef int left
    while choice != end and choice.b <= jokers:
        left = jokers - choice.b
        row = rows + here + choice.to
        if row[left * s.stride] == 0 or (broken and s.need_two[choice.to]):
            choice += 1
            continue
        cost = s.cost[c][n][choice.r + choice.g]
        bound = cost + s.price[c][n][choice.g] + prices + others[jokers] + s.whole - row[left * s.stride]
        next_class = next_classes[choice.g]
        if spent + bound >= s.best:
            least = min(least, bound)
        elif next_class >= 0:
            after = rest | <u64> choice.to << c * s.shape_bits
            if s.merging and s.need_one[choice.to] - s.need_two[shape] < s.need_one[shape]:
                after |= <u64> 1 << (broken_at + c)
            if choice.r + choice.g > s.problem.must[c][n]:
                after |= laid_bit
            s.path[n][c] = choice
            if c < 3:
                bound = cost + s.price[c][n][choice.g] + prices + best_split(s, others, row, left)
                if spent + bound < s.best:
                    s.at[c] = here + choice.to
                    bound = cost + search_from(s, rows, n, c + 1, next_class, after, left, spent + cost,
                                               prices + s.price[c][n][choice.g])
                    s.at[c] = old
                    if s.stopped:
                        return IMPOSSIBLE
                least = min(least, bound)
            else:
                for j in range(left + 1):
                    if not s.groups[n].ways[next_class][j]:
                        continue
                    bound = cost + best_split(s, others, row, left - j)
                    if spent + bound < s.best:
                        s.group_jokers[n] = j
                        s.at[c] = here + choice.to
                        bound = cost + search_from(s, rows, n + 1, 0, 0, after, left - j, spent + cost, 0)
                        s.at[c] = old
                        if s.stopped:
                            return IMPOSSIBLE
                    least = min(least, bound)
        choice += 1
    if c < 3:
        remember(s, key, least)
    return least


cdef i64 finish(Search* s, bint laid, int jokers, i64 spent) noexcept nogil:
    """The path is complete, with some jokers left."""
    cdef i64 cost = s.joker_cost[jokers]
    if not laid and s.problem.jokers - jokers == s.problem.must_jokers:
        return IMPOSSIBLE
    if cost < IMPOSSIBLE and spent + cost < s.best:
        s.best = spent + cost
        memcpy(s.best_path, s.path, sizeof(s.path))
        memcpy(s.best_group_jokers, s.group_jokers, sizeof(s.group_jokers))
    return cost


cdef i64 least_cost(const Search* s, const Cost* rows) noexcept nogil:
    """What any path costs at least; IMPOSSIBLE where there is none for a colour by itself."""
    cdef i64 others[MAX_JOKERS + 1]
    cdef int c
    for c in range(4):
        if rows[s.at[c] + s.problem.jokers * s.stride] == 0:
            return IMPOSSIBLE
    split_jokers(s, rows, s.at[1], s.at[2], s.at[3], s.problem.jokers, others)
    return best_split(s, others, rows + s.at[0], s.problem.jokers)


cdef void find_idle(Search* s, const Cost* rows) noexcept nogil:
    cdef int n, c
    cdef u32 i
    cdef Span span
    cdef const Choice* choice
    for n in range(1, s.problem.numbers + 1):
        for c in range(4):
            s.idle[c][n] = s.problem.most[c][n] == 0
            if s.idle[c][n] and s.problem.jokers:
                span = s.choices[c][n][0]
                for i in range(span.count):
                    choice = s.automata.choices + span.first + i
                    if (0 < choice.b <= s.problem.jokers
                            and rows[row_at(s, c, n) + choice.to + (s.problem.jokers - choice.b) * s.stride]):
                        s.idle[c][n] = False
                        break


cdef bint search(Search* s, const Cost* rows) noexcept nogil:
    """Find the best path; False where there is none. Lanes only: stops at the limit, `stopped`, and can go on."""
    cdef int broken_at = 4 * s.shape_bits
    cdef u64 start = 0 if s.must_lay else <u64> 16 << broken_at
    cdef i64 ceiling
    while s.lowest < IMPOSSIBLE:
        s.stopped = False
        s.best = ceiling = s.lowest + s.slack + 1
        s.lowest = max(s.lowest, search_from(s, rows, 1, 0, 0, start, s.problem.jokers, 0, 0))
        if s.stopped or s.best < ceiling:
            return True
        s.slack = 2 * s.slack + s.step
    return False
