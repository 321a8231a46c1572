"""The distinct parts of a hand that can be laid, as a lazy sequence.

Many arrangements lay the same tiles. Here the sweep chooses, layer by layer, only how many tiles come from the hand,
and carries the set of all frontiers that this choice leaves possible: the frontier graph made deterministic. Whether a
play exists does not depend on the identity of runs, so these frontiers are made of shapes (tables.pxd), which are
fewer. Under joker rules it does, and the frontiers are those of the branches (branches.pxd).
"""

from typing import NamedTuple

from meldcore.errors import MeldcoreError
from meldcore.sequence import remake

cimport cython
from cython.operator cimport dereference
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort, unique
from libcpp.map cimport map
from libcpp.vector cimport vector

from meldcore.bits cimport add_over, from_python, popcount, to_python, u8, u16, u32, u64, u128
from meldcore.branches cimport Branches, step_in
from meldcore.count cimport count_arrangements
from meldcore.monitor cimport Monitor
from meldcore.outcome cimport DONE, FAILED, STOPPED, TOO_LARGE, TOO_WIDE, Outcome, raise_outcome
from meldcore.plan cimport CLASS_BITS, DEAD, MAX_LAYERS, SLACK_BITS, Layer, Plan, free_plan, init_plan
from meldcore.plan cimport is_live, prepare, states_at, tally_place
from meldcore.position cimport Position
from meldcore.problem cimport Problem
from meldcore.sequence cimport LazySequence
from meldcore.sets cimport RuleFields, format_tiles, hand_value, read_tiles
from meldcore.stop cimport Stop, flag_of, is_due
from meldcore.tables cimport MAX_COPIES, MAX_JOKERS, MAX_SHAPES, SHAPE_BITS, Automata, Choice, Span, Step, Tables
from meldcore.tables cimport choice_span
from meldcore.tally cimport Tally, tally_accepts, tally_groups, tally_step

cdef enum:
    SLACK_AT = 4 * SHAPE_BITS
    CLASS_AT = SLACK_AT + SLACK_BITS
    TALLY_AT = CLASS_AT + CLASS_BITS
    MOST_KEYS = 6000000             # in the sets of frontiers of one layer: 48 MB
    MOST_FORKS = 1000000            # 32 MB

cdef u32 NOWHERE = 0xffffffffu

ctypedef vector[u64] Keys           # sorted: a set of frontiers
ctypedef map[vector[u64], u32] Numbers      # the sets of a layer, numbered as they come

cdef struct Fork:                   # one such set
    u32 to[MAX_COPIES + 1]          # what laying 0, 1, ... tiles of the layer leads to, or NOWHERE
    u128 plays                      # from here on


class Play(NamedTuple):
    """A part of the hand that can be laid: its tiles, their points, and how many arrangements lay it."""

    played: tuple
    points: int
    arrangements: int


cdef class PlayGraph:
    """All plays of a problem as paths: layer by layer, how many tiles come from the hand, at last how many jokers."""
    cdef Problem problem
    cdef Tables tables
    cdef vector[Fork] forks         # of all layers, the first first
    cdef u32 ends                   # the first fork after the last layer
    cdef vector[u8] jokers          # [fork - ends] bit j: there is a play with j jokers
    cdef int layers
    cdef u8 number[MAX_LAYERS]
    cdef u8 colour[MAX_LAYERS]

    cdef int build(self) except -1:
        cdef Tally tally = Tally()
        cdef Branches branches = Branches(Monitor(tally))
        cdef Outcome outcome
        with nogil:
            outcome = self.search(&self.tables.automata, tally, branches)
        raise_outcome(outcome, self.problem.stop, "plays")
        self.problem.stop = NULL        # it was for the search
        return 0

    cdef Outcome search(self, const Automata* automata, Tally tally, Branches branches) except FAILED nogil:
        cdef Plan plan
        cdef Outcome outcome = DONE
        init_plan(&plan)
        if prepare(&self.problem, automata, &plan):
            if self.problem.joker_rules != NULL:
                branches.reset(&plan)
            else:
                tally.reset(&plan)
            outcome = self.fork_all(&plan, tally, branches)
            if outcome == DONE and not self.count_backwards():
                outcome = TOO_WIDE
        free_plan(&plan)
        return outcome

    cdef Outcome fork_all(self, Plan* plan, Tally tally, Branches branches) except FAILED nogil:
        cdef Numbers here, there            # own the sets; pointers to them stay where they are
        cdef vector[const Keys*] sets, next_sets
        cdef Keys after
        cdef Keys by_played[MAX_COPIES + 1]
        cdef u64 top = <u64> plan.slack << SLACK_AT
        cdef bint watched = self.problem.joker_rules != NULL
        cdef Numbers.iterator known
        cdef Fork fork
        cdef const Layer* layer
        cdef size_t held
        cdef u8 need_before[MAX_SHAPES]
        cdef u8 need_after[MAX_SHAPES]
        cdef u16 plain_states[MAX_SHAPES]
        cdef u32 k, base = 0
        cdef int i, played
        if watched and not branches.start(&top):
            return DONE
        after.push_back(top)
        here[after] = 0
        sets.push_back(&dereference(here.begin()).first)
        self.layers = plan.layers
        for i in range(plan.layers):
            layer = &plan.layer[i]
            self.number[i] = layer.number
            self.colour[i] = layer.colour
            needs_of_shapes(plan, layer.colour, layer.number - 1, need_before)
            needs_of_shapes(plan, layer.colour, layer.number, need_after)
            plainest_of_shapes(plan, layer, plain_states)
            base += <u32> sets.size()
            next_sets.clear()
            there.clear()
            held = 0
            for k in range(<u32> sets.size()):
                if is_due(self.problem.stop):
                    return STOPPED
                fork.plays = 0
                if watched and not follow_branches(branches, layer, plain_states, dereference(sets[k]), by_played):
                    return STOPPED
                for played in range(MAX_COPIES + 1):
                    fork.to[played] = NOWHERE
                    if played > layer.most - layer.must:
                        continue
                    if watched:
                        after.swap(by_played[played])
                    else:
                        follow(plan, layer, need_before, need_after, tally, dereference(sets[k]), played, after)
                    if after.empty():
                        continue
                    known = there.find(after)
                    if known == there.end():
                        held += after.size()
                        if (held > MOST_KEYS or base + next_sets.size() > MOST_FORKS or tally.is_full()
                                or watched and branches.monitor.is_full()):
                            return TOO_LARGE
                        fork.to[played] = base + <u32> next_sets.size()
                        there[after] = <u32> next_sets.size()
                        next_sets.push_back(&dereference(there.find(after)).first)
                    else:
                        fork.to[played] = base + dereference(known).second
                self.forks.push_back(fork)
            here.swap(there)
            sets.swap(next_sets)
        self.ends = base
        for k in range(<u32> sets.size()):
            memset(&fork, 0, sizeof(fork))
            self.jokers.push_back(jokers_accepted(branches, dereference(sets[k])) if watched
                                  else jokers_of(plan, tally, dereference(sets[k])))
            fork.plays = popcount(self.jokers.back())
            self.forks.push_back(fork)
        return DONE

    cdef bint count_backwards(self) noexcept nogil:
        """False where a count does not fit."""
        cdef u32 k
        cdef int played
        cdef bint over = False
        cdef Fork* fork
        for k in range(self.ends):
            fork = &self.forks[self.ends - 1 - k]
            for played in range(MAX_COPIES + 1):
                if fork.to[played] != NOWHERE:
                    over |= add_over(fork.plays, self.forks[fork.to[played]].plays, &fork.plays)
        return not over

    cdef int seek(self, u128 rank, u8 (*tiles)[16]) noexcept:
        """Fill in the tiles of the play with this rank, and return its jokers."""
        cdef u32 fork = 0, to = NOWHERE
        cdef int i, played = 0, jokers = 0
        memset(tiles, 0, 4 * sizeof(tiles[0]))
        for i in range(self.layers):
            for played in range(MAX_COPIES + 1):
                to = self.forks[fork].to[played]
                if to == NOWHERE:
                    continue
                if rank < self.forks[to].plays:
                    break
                rank -= self.forks[to].plays
            tiles[self.colour[i]][self.number[i]] = played
            fork = to
        while rank or not self.jokers[fork - self.ends] >> jokers & 1:
            rank -= self.jokers[fork - self.ends] >> jokers & 1
            jokers += 1
        return jokers

    cdef bint find(self, u8 (*tiles)[16], int jokers, u128* rank) noexcept:
        """Where such a play is there, its rank. The tiles are crossed off."""
        cdef u32 fork = 0, to = NOWHERE
        cdef int i, c, n, played
        if not self.forks.size() or not self.forks[0].plays:
            return False
        for i in range(self.layers):
            c = self.colour[i]
            n = self.number[i]
            if tiles[c][n] > MAX_COPIES:
                return False
            for played in range(tiles[c][n]):
                to = self.forks[fork].to[played]
                if to != NOWHERE:
                    rank[0] += self.forks[to].plays
            to = self.forks[fork].to[tiles[c][n]]
            if to == NOWHERE or not self.forks[to].plays:
                return False
            tiles[c][n] = 0
            fork = to
        for c in range(4):
            for n in range(16):
                if tiles[c][n]:         # a tile that no set can take
                    return False
        if jokers > MAX_JOKERS or not self.jokers[fork - self.ends] >> jokers & 1:
            return False
        rank[0] += popcount(self.jokers[fork - self.ends] & ((1 << jokers) - 1))
        return True


@cython.final
cdef class Plays(LazySequence):
    """The plays of a position: each part of the hand that some legal turn lays, once, as a sequence of Play tuples.

    The order: number by number, colour by colour (k r b y), fewer tiles of it first; at last, fewer jokers.

    >>> from meldcore import Position
    >>> [play.played for play in Position.parse("r4r5r6 k7b7y7 | r7 r8", rules="easy-rummy").plays()]
    [('r7',), ('r7', 'r8')]
    """
    cdef readonly Position position
    cdef PlayGraph graph

    def __init__(self, Position position not None, Stop stop=None):
        self.position = position
        self.graph = PlayGraph()
        position.fill_problem(&self.graph.problem)
        self.graph.problem.stop = flag_of(stop)
        self.graph.tables = position.tables_of(&self.graph.problem)
        self.graph.build()
        self.ranks = self.whole()

    cdef object whole(self):
        return range(to_python(self.graph.forks[0].plays) if self.graph.forks.size() else 0)

    cdef LazySequence part(self, object ranks):
        cdef Plays that = Plays.__new__(Plays)
        that.position = self.position
        that.graph = self.graph
        that.ranks = ranks
        return that

    cdef object at(self, object rank):
        cdef u8 tiles[4][16]
        cdef int jokers = self.graph.seek(from_python(rank), tiles)
        cdef Problem exact = self.graph.problem
        cdef const RuleFields* fields = &self.position.core.fields
        cdef int c, n
        for c in range(4):
            for n in range(16):
                exact.must[c][n] += tiles[c][n]
        memcpy(exact.most, exact.must, sizeof(exact.most))
        exact.must_jokers += jokers
        exact.jokers = exact.must_jokers
        exact.lay = False
        if exact.part:                  # a matter of the tiles played alone, and these pass
            exact.part = False
            exact.threshold = 0
        return Play(format_tiles(tiles, jokers, fields.notation), hand_value(tiles, jokers, fields),
                    count_arrangements(&exact, self.graph.tables))

    cdef object rank_of(self, object item):
        """A play is given as a Play or as its tiles."""
        cdef u8 tiles[4][16]
        cdef u128 rank = 0
        cdef int jokers
        memset(tiles, 0, sizeof(tiles))
        try:
            jokers = read_tiles(item.played if isinstance(item, Play) else item, "play", self.position.core, tiles)
        except MeldcoreError:           # no tiles at all
            return None
        if not self.graph.find(tiles, jokers, &rank):
            return None
        if isinstance(item, Play) and item != self.at(to_python(rank)):
            return None
        return to_python(rank)

    def __repr__(self):
        return f"Plays({self.position!r}){self.sliced()}"

    def __eq__(self, other):
        if not isinstance(other, Plays):
            return NotImplemented
        return self.position == (<Plays> other).position and self.ranks == (<Plays> other).ranks

    def __hash__(self):
        return hash((self.position, self.ranks))

    def __reduce__(self):
        return remake, (Plays, (self.position,), self.ranks)


cdef void needs_of_shapes(const Plan* plan, int colour, int number, u8* of_shapes) noexcept nogil:
    """Least jokers to finish from each shape; DEAD where none of its states is live."""
    cdef const Automata* a = plan.automata
    cdef const u8* of_states = states_at(plan.need, plan, colour, number)
    cdef int s
    memset(of_shapes, DEAD, MAX_SHAPES)
    for s in range(a.states):
        of_shapes[a.shape_of[s]] = min(of_shapes[a.shape_of[s]], of_states[s])


cdef void follow(const Plan* plan, const Layer* layer, const u8* need_before, const u8* need_after, Tally tally,
                 const Keys& keys, int played, Keys& after) noexcept nogil:
    """`after` becomes the set of frontiers behind `keys` when `played` tiles of the layer come from the hand."""
    cdef const Automata* a = plan.automata
    cdef const Choice* choice
    cdef Span span
    cdef u64 key, rest, following
    cdef size_t k
    cdef u32 i, tracked, t
    cdef int shape, slack, left, cls, to_class, jokers, used = layer.must + played
    after.clear()
    for k in range(keys.size()):
        key = keys[k]
        rest = key & ((<u64> 1 << SLACK_AT) - 1) & ~(<u64> (MAX_SHAPES - 1) << SHAPE_BITS * layer.colour)
        cls = key >> CLASS_AT & ((1 << CLASS_BITS) - 1)
        tracked = <u32> (key >> TALLY_AT)
        shape = key >> SHAPE_BITS * layer.colour & (MAX_SHAPES - 1)
        span = choice_span(a, used, used, shape)
        slack = (key >> SLACK_AT & ((1 << SLACK_BITS) - 1)) + need_before[shape]
        for i in range(span.count):
            choice = a.choices + span.first + i
            if choice.b > slack:
                break
            to_class = layer.next[cls][choice.g]
            left = slack - choice.b - need_after[choice.to]
            if left < 0 or to_class < 0:
                continue
            following = rest | <u64> choice.to << SHAPE_BITS * layer.colour
            t = tally_step(tally, tracked, layer, used, choice.b)
            if not layer.last:
                after.push_back(following | <u64> left << SLACK_AT | <u64> to_class << CLASS_AT | <u64> t << TALLY_AT)
                continue
            for jokers in range(left + 1):
                if layer.groups.ways[to_class][jokers]:
                    after.push_back(following | <u64> (left - jokers) << SLACK_AT
                                    | <u64> tally_groups(tally, t, layer, jokers) << TALLY_AT)
    sort(after.begin(), after.end())
    after.erase(unique(after.begin(), after.end()), after.end())


cdef bint follow_branches(Branches branches, const Layer* layer, const u16* plain_states, const Keys& keys,
                          Keys* by_played) except -1 nogil:
    """Under joker rules: the sets of frontiers behind `keys` by how many tiles of the layer come from the hand. False
    where the search has to end."""
    cdef const Step* step
    cdef size_t i, k
    for i in range(MAX_COPIES + 1):
        by_played[i].clear()
    for k in range(keys.size()):
        if is_due(branches.plan.problem.stop):
            return False
        branches.found.clear()
        branches.expand(layer, keys[k])
        for i in range(branches.found.size()):
            step = branches.plan.automata.steps + step_in(branches.found[i].what, branches.details.data())
            by_played[step.r + step.g - layer.must].push_back(
                plainest(branches, layer, plain_states, branches.found[i].key))
    for i in range(MAX_COPIES + 1):
        sort(by_played[i].begin(), by_played[i].end())
        by_played[i].erase(unique(by_played[i].begin(), by_played[i].end()), by_played[i].end())
    return True


cdef void plainest_of_shapes(const Plan* plan, const Layer* layer, u16* of_shapes) noexcept nogil:
    """Of each shape the state that stands for all: of those that can finish the first of those with the fewest jokers.

    Behind a state that takes more of them to be reached, what needs the rest of the jokers is not live.
    """
    cdef const u8* spent = states_at(plan.spent, plan, layer.colour, layer.number)
    cdef u8 least[MAX_SHAPES]
    cdef int s, shape
    memset(least, DEAD, sizeof(least))
    for s in range(plan.automata.states):
        shape = plan.automata.shape_of[s]
        if is_live(plan, layer.colour, layer.number, s) and spent[s] < least[shape]:
            least[shape] = spent[s]
            of_shapes[shape] = s


cdef u64 plainest(Branches branches, const Layer* layer, const u16* of_shapes, u64 key) noexcept nogil:
    """The frontier with the plainest state of the same shape for the layer's colour.

    As long as no claim names its open runs, what they are does not matter to whether a play exists.
    """
    cdef const Plan* plan = branches.plan
    cdef u32 node = <u32> (key >> tally_place(plan)) >> 1
    cdef u64 mask = (<u64> 1 << plan.state_bits) - 1
    cdef int state = key >> layer.shift & mask
    if branches.monitor.nodes[node].open >> layer.colour & 1:
        return key
    return key & ~(mask << layer.shift) | <u64> of_shapes[plan.automata.shape_of[state]] << layer.shift


cdef int jokers_accepted(Branches branches, const Keys& keys) noexcept nogil:
    """As jokers_of, under joker rules."""
    cdef int found = 0
    cdef size_t k
    for k in range(keys.size()):
        if branches.accepts(keys[k]):
            found |= 1 << branches.jokers_played(keys[k])
    return found


cdef int jokers_of(const Plan* plan, Tally tally, const Keys& keys) noexcept nogil:
    """The set of numbers of hand jokers that plays which end in these frontiers use."""
    cdef int used, found = 0
    cdef size_t k
    for k in range(keys.size()):
        used = plan.problem.jokers - <int> (keys[k] >> SLACK_AT & ((1 << SLACK_BITS) - 1))
        if tally_accepts(tally, <u32> (keys[k] >> TALLY_AT), used):
            found |= 1 << (used - plan.problem.must_jokers)
    return found
