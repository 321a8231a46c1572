"""The best move under free jokers, without listing any; and bounds on what moves gain, for other searches."""

from meldcore.bits cimport i64, u8, u32, u64
from meldcore.objective cimport Objective
from meldcore.plan cimport Layer, Plan
from meldcore.problem cimport ROOM, Problem
from meldcore.tables cimport MAX_JOKERS, Tables

cdef extern from *:
    """
    #define MELDCORE_IMPOSSIBLE ((int64_t) 1 << 62)
    """
    const i64 IMPOSSIBLE "MELDCORE_IMPOSSIBLE"

cdef struct Search

# The arrangement that gains the most, the first such in the order of moves. Writes its sets to `codes`, in any order,
# and returns how many they are; -1 where no arrangement is legal. The threshold of `problem` is 0.
cdef int best_arrangement(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2

cdef enum:
    STOPPED_EARLY = -2

cdef class Solver:
    """The same for many problems with these tables, one after the other, without the GIL."""
    cdef object edition
    cdef object arena

    # As best_arrangement; STOPPED_EARLY where the problem's stop has ended the search.
    cdef int best(self, const Problem* problem, const Objective* objective, u32* codes) noexcept nogil

cdef class Bounds:
    """What arrangements cost at least: the gain of what they do not lay, and the loss of what is laid at a loss."""
    cdef object edition
    cdef object arena
    cdef Search* search
    cdef bint narrow
    cdef i64 typical                # of one tile or joker
    cdef i64 three[MAX_JOKERS + 1]  # what the latest look has left: joint cost of the other colours by jokers
    cdef int others_need            # jokers that those need, less those that lie in groups further on
    cdef int most_left              # jokers for which `three` is known
    cdef u8 reserved[ROOM + 1]      # [number] jokers that lie in the groups of this and the following numbers at least
    cdef int row                    # of the layer's colour behind it
    cdef const u8* needs

    # The problem has to outlive these bounds.
    cdef void reset(self, const Problem* problem, const Objective* objective) noexcept nogil
    # From a frontier (plan.pxd) behind the layer to the end; NULL: from the start.
    cdef i64 least(self, const Plan* plan, const Layer* layer, u64 key) noexcept nogil
    # The same behind a step of the layer's colour to `state` which leaves so much slack: first look at the frontier
    # before the layer.
    cdef void look(self, const Plan* plan, const Layer* layer, u64 key) noexcept nogil
    cdef i64 least_behind(self, const Plan* plan, int state, int slack) noexcept nogil
    cdef int row_of(self, const Plan* plan, u64 key, int colour, int number) noexcept nogil
    cdef i64 tile_cost(self, int colour, int number, int used) noexcept nogil
    # With so many jokers left at the end; IMPOSSIBLE where some of the table are among them.
    cdef i64 joker_cost(self, int left) noexcept nogil
    # passed[i]: what the tiles cost that lie between layer i of the plan and the one before, where nothing can happen.
    cdef void find_passed(self, const Plan* plan, i64* passed) noexcept nogil
    # Of a whole arrangement.
    cdef i64 cost_of(self, const u32* codes, int count) noexcept nogil
