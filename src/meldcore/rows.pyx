"""Many positions at once, a stretch of them at a time: what meldcore.batch does its work with.

A stretch is made into problems, searched without the GIL, and the answers are written into the rows of arrays. What
joker rules and initial melds ask of the best move, and all that cards ask, goes the way it goes for one position.
"""

from libc.string cimport memset
from libcpp.vector cimport vector

from meldcore.errors import MeldcoreError
from meldcore.turns import CardMove

from meldcore.best cimport STOPPED_EARLY, Solver
from meldcore.bits cimport u8, u32, u64, u128
from meldcore.branches cimport jokers_in
from meldcore.count cimport Counter
from meldcore.diagram cimport Diagram, Graph, build_diagram, edge_step
from meldcore.objective cimport Objective, read_objective
from meldcore.outcome cimport DONE, Outcome, raise_outcome
from meldcore.position cimport Move, Position, fill_edition, make_move
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM, Problem
from meldcore.sets cimport (
    CoreRules, add_tiles, core_rules, hand_value, read_table, read_tile, read_tiles, sort_codes,
)
from meldcore.stop cimport Stop, flag_of, raise_due
from meldcore.tables cimport Step, Tables, tables_for


cdef struct Task:                       # a row of a stretch
    Problem problem
    int group                           # rows with the same tables; -1: it is left to its position
    Outcome outcome
    u128 count
    int sets                            # of the best table; -1: there is no move
    u32 codes[MAX_SETS]


cdef class Worker:
    """The memory of one thread."""
    cdef dict solvers                   # by tables
    cdef Counter counter

    def __init__(self):
        self.solvers = {}
        self.counter = Counter()

    cdef Solver solver_of(self, Tables tables):
        solver = self.solvers.get(tables)
        if solver is None:
            solver = self.solvers[tables] = Solver(tables)
        return solver


cdef class Answers:
    """Where the best moves of all rows go: see meldcore.batch.BestMoves."""
    cdef int[::1] tiles
    cdef int[::1] points
    cdef int[::1] discards
    cdef u8[:, ::1] played
    cdef u32[:, ::1] sets

    def __init__(self, tiles, points, discards, played, sets):
        self.tiles = tiles
        self.points = points
        self.discards = discards
        self.played = played
        self.sets = sets

    cdef void write_played(self, Py_ssize_t row, const u8 (*tiles)[ROOM], int jokers, int colours,
                           int numbers) noexcept:
        cdef int c, n
        for c in range(colours):
            for n in range(1, numbers + 1):
                self.played[row, c * numbers + n - 1] = tiles[c][n]
                self.tiles[row] += tiles[c][n]
        self.played[row, colours * numbers] = jokers
        self.tiles[row] += jokers

    cdef void write_sets(self, Py_ssize_t row, const u32* codes, int count) noexcept:
        cdef int i
        for i in range(count):
            self.sets[row, i] = codes[i]


cdef class Rows:
    """Positions by their place. Columns are tiles: by colour, then by number, jokers last."""
    cdef readonly int colours, numbers

    # The problem of a row; False where only its position knows what is asked.
    cdef bint fill(self, Py_ssize_t row, Problem* problem) except -1:
        raise NotImplementedError

    cdef Tables tables_of(self, Py_ssize_t row, const Problem* problem):
        raise NotImplementedError

    cdef Position position_of(self, Py_ssize_t row):
        raise NotImplementedError

    cdef int wish(self, Py_ssize_t row, object objective, Objective* out) except -1:
        raise NotImplementedError

    cdef int write(self, Py_ssize_t row, Task* task, Answers out) except -1:
        """The best move of a row that is not left to its position."""
        raise NotImplementedError

    cdef list read(self, vector[Task]& tasks, Py_ssize_t start, Py_ssize_t end, Stop stop, bint best):
        """Make the tasks of a stretch. Returns the tables of their groups."""
        cdef list groups = []
        cdef Tables tables
        cdef Task* task
        cdef Py_ssize_t row
        tasks.resize(end - start)
        for row in range(start, end):
            task = &tasks[row - start]
            task.group = -1
            if not self.fill(row, &task.problem) or best and (task.problem.joker_rules != NULL
                                                              or task.problem.threshold):
                continue
            task.problem.stop = flag_of(stop)
            tables = self.tables_of(row, &task.problem)
            if tables not in groups:
                groups.append(tables)
            task.group = groups.index(tables)
        return groups

    def count(self, Worker worker not None, Py_ssize_t start, Py_ssize_t end, u64[:, ::1] out, Stop stop=None):
        """How many legal turns these rows have, in two columns: the lower 64 bits, and the upper."""
        cdef vector[Task] tasks
        cdef list groups = self.read(tasks, start, end, stop, False)
        cdef Tables tables
        cdef Counter counter = worker.counter
        cdef Task* task
        cdef Py_ssize_t i, size = end - start
        cdef int group
        for group in range(len(groups)):
            tables = groups[group]
            with nogil:
                for i in range(size):
                    task = &tasks[i]
                    if task.group == group:
                        task.outcome = counter.count(&task.problem, &tables.automata, &task.count)
                        if task.outcome != DONE:
                            break
        for i in range(size):
            task = &tasks[i]
            try:
                if task.group < 0:
                    found = self.position_of(start + i).count(stop)
                    out[start + i, 0] = found & 0xffffffffffffffff
                    out[start + i, 1] = found >> 64
                    continue
                raise_outcome(task.outcome, task.problem.stop, "arrangements")
            except MeldcoreError as error:
                raise in_row(error, start + i)
            out[start + i, 0] = <u64> task.count
            out[start + i, 1] = <u64> (task.count >> 64)

    def best(self, Worker worker not None, Py_ssize_t start, Py_ssize_t end, object objective, Answers out not None,
             Stop stop=None):
        """The best moves of these rows."""
        cdef vector[Task] tasks
        cdef list groups = self.read(tasks, start, end, stop, True)
        cdef vector[Objective] objectives
        cdef Solver solver
        cdef Task* task
        cdef Py_ssize_t i, size = end - start
        cdef int group
        objectives.resize(size)
        for i in range(size):
            if tasks[i].group >= 0:
                self.wish(start + i, objective, &objectives[i])
        for group in range(len(groups)):
            solver = worker.solver_of(groups[group])
            with nogil:
                for i in range(size):
                    task = &tasks[i]
                    if task.group == group:
                        task.sets = solver.best(&task.problem, &objectives[i], task.codes)
                        if task.sets == STOPPED_EARLY:
                            break
        for i in range(size):
            task = &tasks[i]
            if task.group < 0:
                try:
                    self.write_move(start + i, self.position_of(start + i).best(objective, None, stop), out)
                except MeldcoreError as error:
                    raise in_row(error, start + i)
            elif task.sets == STOPPED_EARLY:
                raise_due(task.problem.stop)
            elif task.sets >= 0:
                self.write(start + i, task, out)

    cdef int write_move(self, Py_ssize_t row, object move, Answers out) except -1:
        cdef Move found
        if isinstance(move, CardMove):
            return self.write_card_move(row, move, out)
        if move is not None:
            found = <Move?> move
            out.write_played(row, found.tiles, found.jokers, self.colours, self.numbers)
            out.write_sets(row, found.codes, found.sets)
            out.points[row] = found.points
        return 0

    cdef int write_card_move(self, Py_ssize_t row, object move, Answers out) except -1:
        cdef CoreRules core = self.position_of(row).core
        cdef u8 tiles[COLOURS][ROOM]
        cdef u32 codes[MAX_SETS]
        cdef int jokers, suit, rank = 0
        memset(tiles, 0, sizeof(tiles))
        jokers = read_tiles(move.played, "played", core, tiles)
        out.write_played(row, tiles, jokers, self.colours, self.numbers)
        out.write_sets(row, codes, read_table(move.table, "table", core, codes))
        out.points[row] = move.points
        suit = read_tile(move.discard, "discard", "$.discard", core, &rank)
        out.discards[row] = self.colours * self.numbers if suit < 0 else suit * self.numbers + rank - 1
        return 0

    def playable(self, Py_ssize_t start, Py_ssize_t end, u8[:, ::1] out, Stop stop=None):
        """Which tiles of the hand some legal turn lays: 1 in their columns."""
        cdef Problem problem
        cdef Py_ssize_t row
        for row in range(start, end):
            try:
                self.fill(row, &problem)
                problem.stop = flag_of(stop)
                mark_played(self, &problem, build_diagram(&problem, self.tables_of(row, &problem)), out[row])
            except MeldcoreError as error:
                raise in_row(error, row)


cdef object in_row(object error, Py_ssize_t row):
    error.args = (f"position {row}: {error}",)
    error.path = f"$[{row}]{(error.path or '$')[1:]}"
    return error


cdef int mark_played(Rows self, const Problem* problem, Diagram diagram, u8[::1] out) except -1:
    cdef const Graph* d = &diagram.graph
    cdef vector[u8] jokers              # [node] the most that a path from the top has used
    cdef int i, used
    cdef u32 node, e, to
    cdef const Step* step
    if not d.count:
        return 0
    jokers.resize(diagram.nodes)
    for i in range(d.layers):
        for node in range(d.base[i], d.base[i + 1]):
            for e in range(d.first[node], d.first[node + 1]):
                step = edge_step(d, &d.edges[e])
                if step.r + step.g > d.layer[i].must:
                    out[d.layer[i].colour * self.numbers + d.layer[i].number - 1] = 1
                to = d.edges[e].to
                used = jokers[node] + step.b + (jokers_in(d.edges[e].what, d.details) if d.layer[i].last else 0)
                jokers[to] = max(<int> jokers[to], used)
    for node in range(d.base[d.layers], d.base[d.layers + 1]):
        if jokers[node] > problem.must_jokers:
            out[self.colours * self.numbers] = 1
    return 0


cdef class Boards(Rows):
    """Rows of arrays of tile counts, checked by meldcore.batch: under free jokers, the players have opened."""
    cdef CoreRules core
    cdef object rules
    cdef const u8[:, ::1] tables
    cdef const u8[:, ::1] hands

    def __init__(self, rules, const u8[:, ::1] tables, const u8[:, ::1] hands):
        self.rules = rules
        self.core = core_rules(rules)
        self.colours = self.core.fields.colours
        self.numbers = self.core.fields.notation.numbers
        self.tables = tables
        self.hands = hands

    cdef bint fill(self, Py_ssize_t row, Problem* p) except -1:
        cdef int c, n, column
        memset(p, 0, sizeof(Problem))
        fill_edition(p, &self.core.fields)
        for c in range(self.colours):
            for n in range(1, self.numbers + 1):
                column = c * self.numbers + n - 1
                p.must[c][n] = self.tables[row, column]
                p.most[c][n] = self.tables[row, column] + self.hands[row, column]
        column = self.colours * self.numbers
        p.must_jokers = self.tables[row, column]
        p.jokers = self.tables[row, column] + self.hands[row, column]
        return True

    cdef Tables tables_of(self, Py_ssize_t row, const Problem* problem):
        return tables_for(problem.colours, self.core.fields.copies, problem.jokers, self.rules.max_jokers_per_set)

    cdef int wish(self, Py_ssize_t row, object objective, Objective* out) except -1:
        return read_objective(objective, &self.core.fields, out)

    cdef int write(self, Py_ssize_t row, Task* task, Answers out) except -1:
        cdef u8 tiles[COLOURS][ROOM]
        cdef int i, c, n, jokers = -task.problem.must_jokers
        memset(tiles, 0, sizeof(tiles))
        for i in range(task.sets):
            jokers += add_tiles(task.codes[i], tiles)
        for c in range(COLOURS):
            for n in range(ROOM):
                tiles[c][n] -= task.problem.must[c][n]
        sort_codes(task.codes, task.sets)
        out.write_played(row, tiles, jokers, self.colours, self.numbers)
        out.write_sets(row, task.codes, task.sets)
        out.points[row] = hand_value(tiles, jokers, &self.core.fields)
        return 0


cdef class PositionRows(Rows):
    """A list of positions of one edition, each with its own rules."""
    cdef list positions

    def __init__(self, list positions, int colours, int numbers):
        self.positions = positions
        self.colours = colours
        self.numbers = numbers

    cdef bint fill(self, Py_ssize_t row, Problem* p) except -1:
        cdef Position position = self.positions[row]
        if position.core.fields.notation.cards:
            return False
        position.fill_problem(p)
        return True

    cdef Tables tables_of(self, Py_ssize_t row, const Problem* problem):
        return (<Position> self.positions[row]).tables_of(problem)

    cdef Position position_of(self, Py_ssize_t row):
        return self.positions[row]

    cdef int wish(self, Py_ssize_t row, object objective, Objective* out) except -1:
        return (<Position> self.positions[row]).read_objective(objective, out)

    cdef int write(self, Py_ssize_t row, Task* task, Answers out) except -1:
        return self.write_move(row, make_move(self.positions[row], task.codes, task.sets), out)
