"""The legal turns of a position, and the partitions of loose tiles, as lazy sequences.

The order (order number 1) is that of the diagram: arrangements are compared number by number, within a number colour
by colour (k r b y), at the first place where they differ. There, fewer jokers to runs come first, then more tiles laid,
then more tiles to groups, then more runs that go on; after the last colour of a number, fewer jokers in its groups;
then which of several different runs gets what, and how the groups are made. It depends on nothing but the position.
"""

from meldcore.errors import BadRequest, MeldcoreError, TooLarge

from meldcore.sequence import remake

cimport cython
from libc.string cimport memcpy, memset

from meldcore.best cimport best_arrangement
from meldcore.bits cimport from_python, i64, to_python, u32, u128
from meldcore.diagram cimport Walk, build_diagram
from meldcore.objective cimport Objective, drop_ties
from meldcore.position cimport Move, Position, loose_position, make_move
from meldcore.problem cimport MAX_SETS, Problem
from meldcore.sequence cimport LazySequence
from meldcore.sets cimport format_table, read_table, sort_codes
from meldcore.stop cimport Stop, flag_of


MOST_CODES = 1 << 30             # in one array: 4 GiB
MOST_LOOKED_AT = 10_000_000      # one by one


cdef class Arrangements(LazySequence):
    """What Moves and Partitions share: the diagram, and rows of set codes."""

    def codes(self, out=None):
        """Rows of set codes: a numpy array of uint32, one row an arrangement, in order, filled up with 0.

        `meldcore.sets.set_text` reads a code. Within a row the sets stand in no particular order. `out` is a
        C-contiguous uint32 array of shape (rows, columns) to fill instead of a new one; it takes the first `rows`
        arrangements, and has at least `width` columns. TooLarge where a new array would hold more than 4 GiB.
        """
        cdef int width = self.width
        cdef u32[:, ::1] rows
        import numpy
        total = self.total
        if out is None:
            if total * width > MOST_CODES:
                raise TooLarge(f"{total} rows of {width} codes are too many for one array: take slices")
            out = numpy.empty((total, width), dtype=numpy.uint32)
        elif (not isinstance(out, numpy.ndarray) or out.dtype != numpy.uint32 or out.ndim != 2
              or not out.flags.c_contiguous):
            raise BadRequest("out is a C-contiguous array of uint32 with two dimensions", path="$.out")
        elif out.shape[0] > total or out.shape[1] < width:
            raise BadRequest(f"out is of shape {out.shape}, where at most {total} rows and at least {width} columns "
                             "fit", path="$.out")
        rows = out
        if out.size:
            self.fill(rows)
        return out

    @property
    def width(self):
        """The most sets that an arrangement can have: the columns of `codes`."""
        cdef const Problem* p = &self.diagram.problem
        cdef int tiles = p.jokers, c, n
        for c in range(4):
            for n in range(16):
                tiles += p.most[c][n]
        return self.fixed_sets() + tiles // 3

    cdef int fixed_sets(self):
        return self.position.sets if self.position.table_is_fixed() else 0

    cdef void fill(self, u32[:, ::1] rows):
        cdef Walk walk = Walk(self.diagram)
        cdef Py_ssize_t i, columns = rows.shape[1]
        cdef u32* row
        cdef int fixed = self.fixed_sets()
        cdef u128 rank = from_python(self.ranks.start)
        cdef u128 step = from_python(abs(self.ranks.step) if rows.shape[0] > 1 else 1)
        cdef bint forwards = self.ranks.step > 0
        with nogil:
            for i in range(rows.shape[0]):
                if i == 0 or step != 1 or not forwards:
                    walk.seek(rank)
                else:
                    walk.advance()
                rank = rank + step if forwards else rank - step
                row = &rows[i, 0]
                memcpy(row, self.position.codes, fixed * sizeof(u32))
                memcpy(row + fixed, walk.sets, walk.count * sizeof(u32))
                memset(row + fixed + walk.count, 0, (columns - fixed - walk.count) * sizeof(u32))

    @property
    def nodes(self):
        """How many frontiers the diagram behind the sequence has."""
        return self.diagram.nodes

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        cdef Arrangements that = other
        return self.position == that.position and self.ranks == that.ranks

    def __hash__(self):
        return hash((self.position, self.ranks))

    cdef object item(self, const u32* codes, int count):
        raise NotImplementedError

    cdef int codes_of(self, object item, u32* codes) except -2:
        raise NotImplementedError

    cdef object at(self, object rank):
        self.walk.seek(from_python(rank))
        return self.item(self.walk.sets, self.walk.count)

    cdef object rank_of(self, object item):
        cdef u32 codes[MAX_SETS]
        cdef u128 rank = 0
        cdef int count
        try:
            count = self.codes_of(item, codes)
        except MeldcoreError:           # no sets at all
            return None
        if count < 0 or not self.walk.find(codes, count, &rank):
            return None
        return to_python(rank)

    cdef object whole(self):
        return range(to_python(self.diagram.graph.count))

    cdef object walk_all(self):
        return ArrangementIterator(self)

    cdef LazySequence part(self, object ranks):
        cdef Arrangements that = type(self).__new__(type(self))
        that.position = self.position
        that.diagram = self.diagram
        that.walk = self.walk
        that.ranks = ranks
        return that


cdef class ArrangementIterator:
    """Walks a stretch of a sequence from its start."""
    cdef Arrangements sequence
    cdef Walk walk
    cdef object left                # items still to come, None before the first

    def __init__(self, Arrangements sequence):
        self.sequence = sequence
        self.walk = Walk(sequence.diagram)
        self.left = None

    def __iter__(self):
        return self

    def __next__(self):
        if self.left is None:
            self.left = self.sequence.total
            self.walk.seek(from_python(self.sequence.ranks.start))
        elif self.left:
            self.walk.advance()
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.sequence.item(self.walk.sets, self.walk.count)

    def __length_hint__(self):
        return min(self.sequence.total if self.left is None else self.left, 1 << 40)


@cython.final
cdef class Moves(Arrangements):
    """All legal turns of a position that lay something (RULES.md 2), each once, as a sequence of Move objects.

    Nothing is listed: `moves[10**15]` takes microseconds. Slices are sequences of the same kind.

    >>> from meldcore import Position
    >>> moves = Position.parse("r4r5r6 k7b7y7 | r7 b8", rules="easy-rummy").moves()
    >>> moves.total, moves[-1].played, moves.index(moves[1])
    (2, ('r7',), 1)
    """

    def __init__(self, Position position not None, objective=None, Stop stop=None):
        """objective: only the moves that reach its best value, see Position.best_moves; None: all of them."""
        cdef Problem problem
        cdef Objective o
        position.fill_problem(&problem)
        problem.stop = flag_of(stop)
        self.position = position
        self.objective = objective
        if objective is None:
            self.diagram = build_diagram(&problem, position.tables_of(&problem))
        else:
            position.read_objective(objective, &o)
            drop_ties(&o)
            self.objective = objective if isinstance(objective, str) else {"weights": dict(objective["weights"])}
            self.diagram = build_diagram(&problem, position.tables_of(&problem), &o)
        self.walk = Walk(self.diagram)
        self.ranks = self.whole()

    cdef LazySequence part(self, object ranks):
        cdef Moves that = Arrangements.part(self, ranks)
        that.objective = self.objective
        return that

    def best(self, objective="tiles"):
        """The first of the best moves of this sequence, None where it is empty. See Position.best."""
        cdef Objective o
        self.position.read_objective(objective, &o)
        if self.is_whole():
            rank = self.diagram.best_rank(&o)
            return None if rank is None else self.at(rank)
        best = None
        most = None
        for move in self.few():
            gained = gain_of(move, &o)
            if most is None or gained > most:
                best = move
                most = gained
        return best

    def count_best(self, objective="tiles"):
        """How many moves reach the best value of the objective, ties not broken: 1 means that the best is unique."""
        cdef Objective o
        if self.objective is None and self.is_whole():
            return self.position.count_best(objective)
        self.position.read_objective(objective, &o)
        drop_ties(&o)
        gains = [gain_of(move, &o) for move in self.few()]
        return gains.count(max(gains)) if gains else 0

    cdef object few(self):
        """The moves of a slice, to look at each. The whole sequence never needs that."""
        if self.total > MOST_LOOKED_AT:
            raise TooLarge(f"a slice of {self.total} moves is too long to look for its best")
        return iter(self)

    def __repr__(self):
        objective = "" if self.objective is None else f", {self.objective!r}"
        return f"Moves({self.position!r}{objective}){self.sliced()}"

    def __eq__(self, other):
        if type(other) is not Moves:
            return NotImplemented
        return Arrangements.__eq__(self, other) and self.objective == (<Moves> other).objective

    def __hash__(self):
        return hash((self.position, self.ranks))

    def __reduce__(self):
        return remake, (Moves, (self.position, self.objective), self.ranks)

    cdef object item(self, const u32* codes, int count):
        return make_move(self.position, codes, count)

    cdef int codes_of(self, object item, u32* codes) except -2:
        """-1 where the move cannot be one of this position's."""
        cdef int count
        if type(item) is not Move:
            return -1
        count = self.position.searched_sets(item, codes)
        if count >= 0 and make_move(self.position, codes, count) != item:
            return -1
        return count


cdef object gain_of(Move move, const Objective* objective):
    cdef i64 gain = move.jokers * objective.joker
    cdef int c, n
    for c in range(4):
        for n in range(16):
            gain += move.tiles[c][n] * objective.tile[c][n]
    return gain


@cython.final
cdef class Partitions(Arrangements):
    """Every way to split exactly these tiles into valid sets, each once, as a sequence of tables (tuples of set texts).

    tiles: a sequence of tile strings, or one string. rules: a Rules object, a preset's name or an object of fields;
    only the edition and `max_jokers_per_set` matter.

    >>> list(Partitions("r1 r2 r3 b1 b2 b3 y1 y2 y3"))
    [('r1b1y1', 'r2b2y2', 'r3b3y3'), ('r1r2r3', 'b1b2b3', 'y1y2y3')]
    """

    def __init__(self, tiles, rules="rummi-q", Stop stop=None):
        cdef Problem problem
        cdef Position loose = loose_position(tiles, "tiles", rules)
        loose.fill_partition(&problem)
        problem.stop = flag_of(stop)
        self.position = loose
        self.diagram = build_diagram(&problem, loose.tables_of(&problem))
        self.walk = Walk(self.diagram)
        self.ranks = self.whole()

    @property
    def tiles(self):
        """The tiles, in canonical order."""
        return self.position.hand

    def __repr__(self):
        return f"Partitions({' '.join(self.tiles)!r}, {self.position.rules!r}){self.sliced()}"

    def __reduce__(self):
        return remake, (Partitions, (self.tiles, self.position.rules), self.ranks)

    cdef object item(self, const u32* codes, int count):
        cdef u32 table[MAX_SETS]
        memcpy(table, codes, count * sizeof(u32))
        sort_codes(table, count)
        return format_table(table, count, self.position.core.fields.notation)

    cdef int codes_of(self, object item, u32* codes) except -2:
        if not isinstance(item, (str, tuple, list)):
            return -1
        return read_table(item, "table", self.position.core, codes)


def partitions(tiles, rules="rummi-q", Stop stop=None):
    """Every way to split exactly these tiles into valid sets: see Partitions."""
    return Partitions(tiles, rules, stop)


def normalise(tiles, rules="rummi-q", Stop stop=None):
    """Some arrangement of exactly these loose tiles in valid sets: a table, None where there is none.

    It is the first of the partitions, found without the others.

    >>> normalise("y3 r3 k3 b3")
    ('k3r3b3y3',)
    """
    cdef Problem problem
    cdef Objective objective
    cdef u32 codes[MAX_SETS]
    cdef Position loose = loose_position(tiles, "tiles", rules)
    cdef int count
    loose.fill_partition(&problem)
    problem.stop = flag_of(stop)
    loose.read_objective("tiles", &objective)
    count = best_arrangement(&problem, loose.tables_of(&problem), &objective, codes)
    if count < 0:
        return None
    sort_codes(codes, count)
    return format_table(codes, count, loose.core.fields.notation)
