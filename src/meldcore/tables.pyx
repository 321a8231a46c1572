"""Builds the automata of tables.pxd. Runs once an edition and number of jokers, in milliseconds."""

from itertools import product

from libc.string cimport memset

from meldcore.bits cimport u16, u32, u64, u8

# ---------------------------------------------------------------- open runs of one colour
# A kind is (tiles still needed, has a natural tile, jokers). The last two are kept only where the rules need them: a
# set of jokers alone takes three of them, and a limit of jokers a set may be in force. An open run has had its tile at
# the current number; "needs 2" has one tile, "needs 1" has two or more.


class RunRules:
    def __init__(self, copies, jokers, limit):
        self.copies = copies
        self.jokers = jokers
        self.limit = jokers if limit is None else min(limit, jokers)
        self.count_jokers = self.limit < jokers
        self.see_naturals = self.limit >= 3

    def start(self, joker):
        """The kind of a run that begins with this tile, None where it may not."""
        if joker and self.limit == 0:
            return None
        return (2, not (joker and self.see_naturals), int(joker and self.count_jokers))

    def go_on(self, kind, joker):
        """The kind of a run after one more tile, None where it may not take it."""
        _, natural, jokers = kind
        if self.count_jokers:
            jokers += joker
            if jokers > self.limit:
                return None
        return (1, natural or not joker, jokers)

    @staticmethod
    def may_end(before, after):
        """May the tile that turned kind `before` into `after` be the run's last?"""
        return before[0] == 1 and after[1]


def ways_from(rules, state, naturals, jokers):
    """All ways to give `naturals` and `jokers` to the open runs of `state` and to new ones: (next state, parts)."""
    found = []

    def give(place, naturals, jokers, open_parts, done):
        if place == len(state):
            fresh = list(open_parts)
            for joker, copies in ((0, naturals), (1, jokers)):
                if copies:
                    kind = rules.start(joker)
                    if kind is None:
                        return
                    fresh.append((kind, copies, (NEW_RUN, copies, joker, 1)))
            fresh.sort(key=lambda part: part[:2])
            found.append((tuple(part[:2] for part in fresh), tuple(part[2] for part in fresh) + tuple(done)))
            return
        kind, copies = state[place]
        for with_natural in range(min(copies, naturals) + 1):
            with_joker = copies - with_natural
            if with_joker > jokers:
                continue
            options = []
            for joker, number in ((0, with_natural), (1, with_joker)):
                after = rules.go_on(kind, joker) if number else kind
                if after is None:
                    break
                ending = range(number + 1) if number and rules.may_end(kind, after) else (0,)
                options.append([(joker, after, number - ends, ends) for ends in ending])
            else:
                for chosen in product(*options):
                    give(
                        place + 1,
                        naturals - with_natural,
                        jokers - with_joker,
                        open_parts
                        + [(after, stay, (place, stay, joker, 1)) for joker, after, stay, _ in chosen if stay],
                        done + [(place, ends, joker, 0) for joker, _, _, ends in chosen if ends],
                    )

    give(0, naturals, jokers, [], [])
    return found


def explore_runs(rules):
    """Every state that `rules.jokers` jokers can reach, and its ways: {state: [(naturals, jokers, next, parts)]}.

    States are met in the order of the jokers they cost; a way that the jokers cannot pay for is left out.
    """
    cost = {(): 0}
    queues = [[()]] + [[] for _ in range(rules.jokers)]
    ways = {}
    for spent, queue in enumerate(queues):
        for state in queue:             # grows while it is read
            if state in ways:
                continue
            ways[state] = []
            for jokers in range(rules.jokers - spent + 1):
                for naturals in range(rules.copies + 1):
                    for after, parts in ways_from(rules, state, naturals, jokers):
                        ways[state].append((naturals, jokers, after, parts))
                        if spent + jokers < cost.get(after, rules.jokers + 1):
                            cost[after] = spent + jokers
                            queues[spent + jokers].append(after)
    return ways, cost


def shape_of(state):
    """The open runs of a state by kind, their identity forgotten: {(kind, copies), ...}."""
    copies = {}
    for kind, number in state:
        copies[kind] = copies.get(kind, 0) + number
    return tuple(sorted(copies.items()))


def shape_order(shape):
    """Fewer open runs first, those that need two more tiles last."""
    return sum(copies for _, copies in shape), sum(copies for kind, copies in shape if kind[0] == 2), shape


def choice_order(r, g, b, shape):
    """The order of the choices of a colour at a number (part of the order of moves, see moves.pyx): fewest jokers to
    runs, then most tiles laid, then most tiles to groups, then most runs that go on.

    In this order the first path is nearly always a good one, which the search for the best move lives on.
    """
    return b, -(r + g), -g, -shape


# ---------------------------------------------------------------- groups of one number

def group_kinds(colours, jokers, limit):
    """Every group by colours and jokers, as colours << 4 | jokers.

    Of all four colours, since searches may take them in another order; those that an edition lacks have no tiles.
    """
    most = jokers if limit is None else min(limit, jokers)
    return [
        mask << 4 | b
        for mask in range(1, 1 << 4)
        for b in range(most + 1)
        if 3 <= mask.bit_count() + b <= colours
    ]


def group_layouts(kinds, copies, jokers):
    """Every multiset of groups: {(tiles by colour, jokers): [groups, ...]}."""
    found = {}

    def extend(first, tiles, used, groups):
        found.setdefault((tiles, used), []).append(groups)
        for place in range(first, len(kinds)):
            mask, b = kinds[place] >> 4, kinds[place] & 15
            more = tuple(tiles[c] + (mask >> c & 1) for c in range(4))
            if max(more) <= copies and used + b <= jokers:
                extend(place, more, used + b, (*groups, kinds[place]))

    extend(0, (0, 0, 0, 0), 0, ())
    return found


cdef class Tables:
    """The automata of one edition with a given number of jokers. Take them from tables_for."""

    def __init__(self, int colours, int copies, int jokers, max_jokers_per_set):
        self.colours = colours
        self.copies = copies
        self.jokers = jokers
        self.max_jokers_per_set = max_jokers_per_set
        self.automata.copies = copies
        self.automata.jokers = jokers
        build_runs(self, RunRules(copies, jokers, max_jokers_per_set))
        build_groups(self, group_kinds(colours, jokers, max_jokers_per_set))
        cdef Automata* a = &self.automata
        a.colours = colours
        a.shape_of = self.shape_of.data()
        a.step_spans = self.step_spans.data()
        a.steps = self.steps.data()
        a.ways = self.ways.data()
        a.parts = self.parts.data()
        a.choice_spans = self.choice_spans.data()
        a.choices = self.choices.data()
        a.successors = self.successors.data() if a.states <= MASKABLE else NULL
        a.predecessors = self.predecessors.data() if a.states <= MASKABLE else NULL
        a.next_sets = self.next_sets.data() if a.states <= 8 else NULL
        a.previous_sets = self.previous_sets.data() if a.states <= 8 else NULL
        for must, most, gives in product(range(4), range(4), range(16)):
            a.r_sets[must << 6 | most << 4 | gives] = sum(
                1 << r for r in range(4) if any(gives >> g & 1 and must <= r + g <= most for g in range(4))
            )
        a.groups = self.groups.data()
        a.givable = self.givable.data()
        a.plain_groups = self.plain_groups.data()
        a.plain_givable = self.plain_givable.data()
        a.layouts = self.layouts.data()
        a.layout = self.layout.data()
        a.group = self.group.data()


cdef object build_runs(Tables self, rules):
    ways, cost = explore_runs(rules)
    states = sorted(ways, key=lambda state: (cost[state], shape_order(shape_of(state)), state))
    place = {state: i for i, state in enumerate(states)}
    shapes = sorted({shape_of(state) for state in states}, key=shape_order)
    shape_place = {shape: i for i, shape in enumerate(shapes)}
    if len(states) > MAX_STATES:
        raise MemoryError(f"{len(states)} run states")
    if len(shapes) > MAX_SHAPES:
        raise MemoryError(f"{len(shapes)} shapes")
    self.automata.states = len(states)
    self.automata.shapes = len(shapes)
    self.shape_of = [shape_place[shape_of(state)] for state in states]

    cdef Way way
    cdef Part part
    transitions = []                # by state: (r, b, next shape, next state, first way, ways)
    for state in states:
        bundles = {}
        for r, b, after, parts in ways[state]:
            bundles.setdefault((r, b, shape_place[shape_of(after)], place[after]), []).append(parts)
        leaving = []
        transitions.append(leaving)
        for key, bundle in bundles.items():
            leaving.append((*key, self.ways.size(), len(bundle)))
            for parts in bundle:
                way = Way(self.parts.size(), len(parts))
                self.ways.push_back(way)
                for source, copies, joker, stays in parts:
                    part = Part(source, copies, joker, stays)
                    self.parts.push_back(part)
    build_steps(self, transitions)
    build_choices(self, transitions)
    if len(states) <= MASKABLE:
        build_masks(self, transitions)


cdef object build_steps(Tables self, list transitions):
    cdef Span span
    cdef Step step
    states = len(transitions)
    self.step_spans.resize(64 * states)
    for must, most, given in product(range(4), repeat=3):
        if not (must <= most <= self.copies and given <= most):
            continue
        for state in range(states):
            span = Span(self.steps.size(), 0)
            options = [
                (choice_order(r, g, b, shape), after, r, g, b, first, count)
                for r, b, shape, after, first, count in transitions[state]
                for g in range(given + 1)
                if must <= r + g <= most
            ]
            for _, after, r, g, b, first, count in sorted(options):
                step = Step(count, after, r, g, b, first)
                self.steps.push_back(step)
            span.count = self.steps.size() - span.first
            self.automata.most_steps = max(self.automata.most_steps, <int> span.count)
            self.step_spans[((must << 2 | most) << 2 | given) * states + state] = span


cdef object build_choices(Tables self, list transitions):
    cdef Span span
    cdef Choice choice
    cdef int shapes = self.automata.shapes
    moves = [set() for _ in range(shapes)]
    for state, leaving in enumerate(transitions):
        moves[self.shape_of[state]].update((r, b, shape) for r, b, shape, _, _, _ in leaving)
    self.choice_spans.resize(16 * shapes)
    for must, most in product(range(4), repeat=2):
        if not must <= most <= self.copies:
            continue
        for shape in range(shapes):
            span = Span(self.choices.size(), 0)
            options = [
                (choice_order(r, g, b, after), after, r, g, b)
                for r, b, after in moves[shape]
                for g in range(most + 1)
                if must <= r + g <= most
            ]
            for _, after, r, g, b in sorted(options):
                choice = Choice(after, r, g, b)
                self.choices.push_back(choice)
            span.count = self.choices.size() - span.first
            self.choice_spans[(must << 2 | most) * shapes + shape] = span


cdef object build_masks(Tables self, list transitions):
    cdef int states = len(transitions), allowed, before, after, r, b
    self.successors.resize(mask_place(&self.automata, 0, 2 << self.copies, 0))
    self.predecessors.resize(mask_place(&self.automata, 0, 2 << self.copies, 0))
    for before in range(states):
        for r, b, _, after, _, _ in transitions[before]:
            for allowed in range(2 << self.copies):
                if allowed >> r & 1:
                    self.successors[mask_place(&self.automata, before, allowed, b)] |= <u64> 1 << after
                    self.predecessors[mask_place(&self.automata, after, allowed, b)] |= <u64> 1 << before
    if states > 8:
        return
    cdef int members, s, place
    self.next_sets.resize(16 * 256)
    self.previous_sets.resize(16 * 256)
    for allowed in range(2 << self.copies):
        for members in range(1 << states):
            for s in range(states):
                place = mask_place(&self.automata, s, allowed, 0)
                if members >> s & 1:
                    self.next_sets[allowed << 8 | members] |= self.successors[place]
                    self.previous_sets[allowed << 8 | members] |= self.predecessors[place]


cdef object build_groups(Tables self, kinds):
    layouts = group_layouts(kinds, self.copies, self.jokers)
    cdef Span span
    cdef u8 group
    self.layouts.resize(256 * (MAX_JOKERS + 1))
    for (tiles, used), choices in layouts.items():
        self.layouts[sum(tiles[c] << 2 * c for c in range(4)) * (MAX_JOKERS + 1) + used] = Span(
            self.layout.size(), len(choices)
        )
        for groups in choices:
            span = Span(self.group.size(), len(groups))
            self.layout.push_back(span)
            for group in groups:
                self.group.push_back(group)

    cdef u16 ways[256][MAX_JOKERS + 1]
    cdef u16 plain[256][MAX_JOKERS + 1]
    cdef int v, j
    memset(plain, 0, sizeof(plain))
    for v in range(256):
        for j in range(MAX_JOKERS + 1):
            ways[v][j] = self.layouts[v * (MAX_JOKERS + 1) + j].count
        plain[v][0] = ways[v][0]
    cdef int base = self.copies + 1, vector
    self.groups.resize(base ** 4)
    self.givable.resize(base ** 4)
    self.plain_groups.resize(base ** 4)
    self.plain_givable.resize(base ** 4)
    cdef int most[4]
    for vector in range(base ** 4):
        for c in range(4):
            most[c] = vector // base ** c % base
        build_automaton(&self.groups[vector], &self.givable[vector], most, ways)
        build_automaton(&self.plain_groups[vector], &self.plain_givable[vector], most, plain)


cdef int build_automaton(Groups* t, u16* givable, const int* most, u16 (*ways)[MAX_JOKERS + 1]) except -1:
    """The smallest automaton that reads how many tiles each colour gives, at most `most`, and knows what can follow.

    Worked backwards: two beginnings are in one class when every continuation leads to equal numbers of groups.
    """
    cdef int class_of[256]              # of the beginnings of the length at hand; -1: leads nowhere
    cdef int before[256]
    cdef int v, c, g, j, k, length, classes
    cdef bint alive
    cdef i8 row[MAX_COPIES + 1]
    givable[0] = 0

    classes = 0
    for v in range(256):                # whole vectors
        class_of[v] = -1
        alive = False
        for c in range(4):
            if (v >> 2 * c & 3) > most[c]:
                break
        else:
            for j in range(MAX_JOKERS + 1):
                alive |= ways[v][j] != 0
        if not alive:
            continue
        for c in range(4):
            givable[0] |= 1 << (4 * c + (v >> 2 * c & 3))
        for k in range(classes):
            for j in range(MAX_JOKERS + 1):
                if t.ways[k][j] != ways[v][j]:
                    break
            else:
                class_of[v] = k
                break
        if class_of[v] < 0:
            if classes == MAX_CLASSES:
                raise MemoryError("group classes")
            class_of[v] = classes
            k = 0
            for j in range(MAX_JOKERS + 1):
                t.ways[classes][j] = ways[v][j]
                k += ways[v][j]
            t.most_ways = max(t.most_ways, <u32> k)
            classes += 1
    t.classes[4] = classes

    for c in range(3, -1, -1):          # beginnings that lack the colours from c on
        length = 1 << 2 * c
        classes = 0
        for v in range(length):
            before[v] = -1
            alive = False
            for g in range(MAX_COPIES + 1):
                row[g] = class_of[v | g << 2 * c] if g <= most[c] else -1
                alive |= row[g] >= 0
            if not alive:
                continue
            for k in range(classes):
                for g in range(MAX_COPIES + 1):
                    if t.next[c][k][g] != row[g]:
                        break
                else:
                    before[v] = k
                    break
            if before[v] < 0:
                if classes == MAX_CLASSES:
                    raise MemoryError("group classes")
                before[v] = classes
                for g in range(MAX_COPIES + 1):
                    t.next[c][classes][g] = row[g]
                classes += 1
        t.classes[c] = classes
        for v in range(length):
            class_of[v] = before[v]
            if c and before[v] >= 0:
                t.alive[c - 1] |= <u64> 1 << v
    return 0


cdef dict built = {}


cpdef Tables tables_for(int colours, int copies, int jokers, object max_jokers_per_set):
    """The tables of an edition for problems with that many jokers, built on first use."""
    if max_jokers_per_set is not None and max_jokers_per_set >= jokers:
        max_jokers_per_set = None
    key = (colours, copies, jokers, max_jokers_per_set)
    tables = built.get(key)
    if tables is None:
        tables = built.setdefault(key, Tables(colours, copies, jokers, max_jokers_per_set))
    return tables
