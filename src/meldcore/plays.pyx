"""The distinct parts of a hand that can be laid, as a lazy sequence.

Many arrangements lay the same tiles. Here the sweep chooses, layer by layer, only how many tiles come from the hand,
and carries the set of all frontiers that this choice leaves possible: the frontier graph made deterministic. Whether a
play exists does not depend on the identity of runs, so these frontiers are made of shapes (tables.pxd), which are
fewer.
"""

from collections.abc import Sequence
from typing import NamedTuple

from meldcore.errors import TooLarge

cimport cython
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort, unique
from libcpp.map cimport map
from libcpp.vector cimport vector

from meldcore.bits cimport add_over, from_python, popcount, to_python, u8, u32, u64, u128
from meldcore.count cimport count_arrangements
from meldcore.plan cimport CLASS_BITS, DEAD, MAX_LAYERS, SLACK_BITS, Layer, Plan, free_plan, init_plan
from meldcore.plan cimport prepare, states_at
from meldcore.position cimport Position
from meldcore.problem cimport Problem
from meldcore.sets cimport format_tiles, read_tiles
from meldcore.stop cimport Stop, flag_of, is_due, raise_due
from meldcore.tables cimport MAX_COPIES, Automata, Choice, Span, Tables, choice_span
from meldcore.tally cimport Tally, tally_accepts, tally_groups, tally_step

cdef enum:
    SHAPE_BITS = 8
    MAX_SHAPES = 256
    SLACK_AT = 4 * SHAPE_BITS
    CLASS_AT = SLACK_AT + SLACK_BITS
    TALLY_AT = CLASS_AT + CLASS_BITS
    MOST_KEYS = 20000000            # held at once: 160 MB

cdef u32 NOWHERE = 0xffffffffu

cdef enum Outcome:
    DONE
    TOO_WIDE
    TOO_LARGE
    STOPPED

ctypedef vector[u64] Keys           # sorted: a set of frontiers
ctypedef map[vector[u64], u32] Numbers

cdef struct Fork:                   # one such set
    u32 to[MAX_COPIES + 1]          # what laying 0, 1, ... tiles of the layer leads to, or NOWHERE
    u128 plays                      # from here on


class Play(NamedTuple):
    """A part of the hand that can be laid: its tiles, their points, and how many arrangements lay it."""

    played: tuple
    points: int
    arrangements: int


@cython.final
cdef class Plays:
    """The plays of a position: each part of the hand that some legal turn lays, once, as a sequence of Play tuples.

    The order: number by number, colour by colour (k r b y), fewer tiles of it first; at last, fewer jokers.

    >>> from meldcore import Position
    >>> [play.played for play in Position.parse("r4r5r6 k7b7y7 | r7 r8", rules="easy-rummy").plays()]
    [('r7',), ('r7', 'r8')]
    """
    cdef readonly Position position
    cdef Problem problem
    cdef Tables tables
    cdef vector[Fork] forks         # of all layers, the first first
    cdef u32 ends                   # the first fork after the last layer
    cdef vector[u8] jokers          # [fork - ends] bit j: there is a play with j jokers
    cdef int layers
    cdef Span layer[MAX_LAYERS]     # number, colour
    cdef object ranks

    def __init__(self, Position position not None, Stop stop=None):
        cdef Outcome outcome
        self.position = position
        position.fill_problem(&self.problem)
        self.problem.stop = flag_of(stop)
        self.tables = position.tables_of(&self.problem)
        cdef Tally tally = Tally()
        with nogil:
            outcome = self.build(&self.tables.automata, tally)
        if outcome == STOPPED:
            raise_due(self.problem.stop)
        self.problem.stop = NULL        # it was for the search
        if outcome == TOO_LARGE:
            raise TooLarge("the plays of this position take more than 160 MB")
        if outcome == TOO_WIDE:
            raise OverflowError("more than 2**128 plays")
        self.ranks = range(to_python(self.forks[0].plays) if self.forks.size() else 0)

    cdef Outcome build(self, const Automata* automata, Tally tally) noexcept nogil:
        cdef Plan plan
        cdef Outcome outcome = DONE
        init_plan(&plan)
        if prepare(&self.problem, automata, &plan):
            tally.reset(&plan)
            outcome = self.fork_all(&plan, tally)
            if outcome == DONE and not self.count_backwards():
                outcome = TOO_WIDE
        free_plan(&plan)
        return outcome

    cdef Outcome fork_all(self, const Plan* plan, Tally tally) noexcept nogil:
        cdef vector[Keys] here, there
        cdef Keys after
        cdef Numbers numbers
        cdef Fork fork
        cdef const Layer* layer
        cdef size_t held
        cdef u8 need_before[MAX_SHAPES]
        cdef u8 need_after[MAX_SHAPES]
        cdef u32 k, base = 0
        cdef int i, played
        here.resize(1)
        here[0].push_back(<u64> plan.slack << SLACK_AT)
        self.layers = plan.layers
        for i in range(plan.layers):
            layer = &plan.layer[i]
            self.layer[i] = Span(layer.number, layer.colour)
            needs_of_shapes(plan, layer.colour, layer.number - 1, need_before)
            needs_of_shapes(plan, layer.colour, layer.number, need_after)
            base += <u32> here.size()
            there.clear()
            numbers.clear()
            held = 0
            for k in range(<u32> here.size()):
                if is_due(self.problem.stop):
                    return STOPPED
                fork.plays = 0
                for played in range(MAX_COPIES + 1):
                    fork.to[played] = NOWHERE
                    if played > layer.most - layer.must:
                        continue
                    follow(plan, layer, need_before, need_after, tally, here[k], played, after)
                    if after.empty():
                        continue
                    if numbers.count(after) == 0:
                        held += after.size()
                        if held > MOST_KEYS:
                            return TOO_LARGE
                        numbers[after] = <u32> there.size()
                        there.push_back(after)
                    fork.to[played] = base + numbers[after]
                self.forks.push_back(fork)
            here.swap(there)
        self.ends = base
        for k in range(<u32> here.size()):
            memset(&fork, 0, sizeof(fork))
            self.jokers.push_back(jokers_of(plan, tally, here[k]))
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

    @property
    def total(self):
        """How many there are, an exact int; `len()` raises OverflowError above sys.maxsize."""
        return to_python(self.forks[0].plays) if self.forks.size() else 0

    def __len__(self):
        return len(self.ranks)

    def __bool__(self):
        return bool(self.ranks)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self.at(rank) for rank in self.ranks[index]]
        try:
            rank = self.ranks[index]
        except IndexError:
            raise IndexError(f"index {index} of {self.total} plays") from None
        return self.at(rank)

    def __iter__(self):
        return map_ranks(self, self.ranks)

    def __reversed__(self):
        return map_ranks(self, reversed(self.ranks))

    cdef object at(self, object index):
        cdef u128 rank = from_python(index)
        cdef u8 tiles[4][16]
        cdef u32 fork = 0, to
        cdef int i, played, jokers = 0
        memset(tiles, 0, sizeof(tiles))
        for i in range(self.layers):
            for played in range(MAX_COPIES + 1):
                to = self.forks[fork].to[played]
                if to == NOWHERE:
                    continue
                if rank < self.forks[to].plays:
                    break
                rank -= self.forks[to].plays
            tiles[self.layer[i].count][self.layer[i].first] = played
            fork = to
        while rank or not self.jokers[fork - self.ends] >> jokers & 1:
            rank -= self.jokers[fork - self.ends] >> jokers & 1
            jokers += 1
        return self.play(tiles, jokers)

    cdef object play(self, const u8 (*tiles)[16], int jokers):
        cdef Problem exact = self.problem
        cdef int c, n, points = jokers * self.position.core.fields.joker_hand_value
        for c in range(4):
            for n in range(16):
                exact.must[c][n] += tiles[c][n]
                points += n * tiles[c][n]
        memcpy(exact.most, exact.must, sizeof(exact.most))
        exact.must_jokers += jokers
        exact.jokers = exact.must_jokers
        exact.lay = False
        if exact.part:                  # a matter of the tiles played alone, and these pass
            exact.part = False
            exact.threshold = 0
        return Play(format_tiles(tiles, jokers), points, count_arrangements(&exact, self.tables))

    def __contains__(self, item):
        return self.rank_of(item) is not None

    def index(self, item):
        """The place of a play, given as a Play or as its tiles. ValueError where it is not there."""
        rank = self.rank_of(item)
        if rank is None:
            raise ValueError(f"{item!r} is not among these plays")
        return rank

    def count(self, item):
        """1 where the play is there, else 0: all plays differ."""
        return int(item in self)

    cdef object rank_of(self, object item):
        cdef u8 tiles[4][16]
        cdef u128 rank = 0
        cdef u32 fork = 0, to
        cdef int i, c, n, played, jokers
        memset(tiles, 0, sizeof(tiles))
        jokers = read_tiles(item.played if isinstance(item, Play) else item, "play", self.position.core, tiles)
        if not self.ranks:
            return None
        for i in range(self.layers):
            c = self.layer[i].count
            n = self.layer[i].first
            for played in range(MAX_COPIES + 1):
                to = self.forks[fork].to[played]
                if played == tiles[c][n]:
                    break
                if to != NOWHERE:
                    rank += self.forks[to].plays
            if played > MAX_COPIES or to == NOWHERE:
                return None
            tiles[c][n] = 0
            fork = to
        for c in range(4):
            for n in range(16):
                if tiles[c][n]:         # a tile that no set can take
                    return None
        if not self.jokers[fork - self.ends] >> jokers & 1:
            return None
        return to_python(rank) + popcount(self.jokers[fork - self.ends] & ((1 << jokers) - 1))

    def __repr__(self):
        return f"Plays({self.position!r})"

    def __eq__(self, other):
        return isinstance(other, Plays) and self.position == (<Plays> other).position

    def __hash__(self):
        return hash(self.position)

    def __reduce__(self):
        return Plays, (self.position,)


def map_ranks(Plays plays, ranks):
    """Items by their place, one at a time."""
    for rank in ranks:
        yield plays.at(rank)


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
        rest = key & ((<u64> 1 << SLACK_AT) - 1) & ~(<u64> 255 << SHAPE_BITS * layer.colour)
        cls = key >> CLASS_AT & ((1 << CLASS_BITS) - 1)
        tracked = <u32> (key >> TALLY_AT)
        shape = key >> SHAPE_BITS * layer.colour & 255
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


cdef int jokers_of(const Plan* plan, Tally tally, const Keys& keys) noexcept nogil:
    """The set of numbers of hand jokers that plays which end in these frontiers use."""
    cdef int used, found = 0
    cdef size_t k
    for k in range(keys.size()):
        used = plan.problem.jokers - <int> (keys[k] >> SLACK_AT & ((1 << SLACK_BITS) - 1))
        if tally_accepts(tally, <u32> (keys[k] >> TALLY_AT), used):
            found |= 1 << (used - plan.problem.must_jokers)
    return found


Sequence.register(Plays)
