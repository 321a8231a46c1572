"""What a frontier leads to at a layer under joker rules, in the order of moves: for the diagram and the best move."""

from libcpp.vector cimport vector

from meldcore.best cimport Bounds
from meldcore.bits cimport i64, u8, u16, u32, u64
from meldcore.monitor cimport ALL_PICKS, Monitor
from meldcore.plan cimport Layer, Plan

cdef struct Detail:     # what a branch does
    u32 step            # among those of the automata
    u32 ways            # how many of its ways
    int first_way       # of them in Monitor.picks; ALL_PICKS: all there are
    u32 layouts         # of the groups, on the last colour of a number; else 1
    int first_layout
    u32 jokers          # in the groups

cdef struct Branch:
    u64 key             # of the frontier afterwards. Its tally: a hand tile was laid | node of the monitor << 1
    u32 detail
    i64 cost            # of its tiles, where there are bounds
    i64 bound           # of what it leads to, its own cost included

cdef inline u32 picked(const u16* picks, int first, u32 place) noexcept nogil:
    """The way, or layout, with this place among those of a detail."""
    return place if first == ALL_PICKS else picks[first + place]


cdef class Branches:
    cdef Plan* plan
    cdef readonly Monitor monitor
    cdef vector[Detail] details     # all different
    cdef vector[u32] slots          # open addressing: detail + 1
    cdef vector[Branch] found       # where `expand` leaves branches
    cdef Bounds bounds              # leave out what costs `room` or more; None: nothing
    cdef i64 room
    cdef i64 least                  # of the bounds of what was left out in the latest call

    cdef void reset(self, Plan* plan) noexcept nogil
    cdef void clear(self) noexcept nogil
    # The frontier at the start; False where no claim can come true.
    cdef bint start(self, u64* key) noexcept nogil
    # Add the branches of a frontier before the layer to `found`.
    cdef bint expand(self, const Layer* layer, u64 key) except -1 nogil
    # Of a frontier at the end: may the arrangement be laid; and how many jokers of the hand it has, below 0 where some
    # of the table are missing.
    cdef bint accepts(self, u64 key) noexcept nogil
    cdef int jokers_played(self, u64 key) noexcept nogil
    cdef u32 intern(self, const Detail* detail) noexcept nogil
