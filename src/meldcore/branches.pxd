"""What a frontier leads to at a layer under joker rules, in the order of moves: for the diagram and the best move."""

from libcpp.vector cimport vector

from meldcore.best cimport Bounds
from meldcore.bits cimport i64, u8, u16, u32, u64
from meldcore.monitor cimport ALL_PICKS, Monitor
from meldcore.plan cimport Frontier, Layer, Plan

cdef struct Detail:     # what a branch does
    u32 step            # among those of the automata
    u32 ways            # how many of its ways
    int first_way       # of them in Monitor.picks; ALL_PICKS: all there are
    u32 layouts         # of the groups, on the last colour of a number; else 1
    int first_layout
    u32 jokers          # in the groups

# What a branch or an edge of a diagram does, in one word: its step, counted through all of the automata, << 8; on the
# last colour of a number also | jokers in the groups << 5 | class of the groups. Where the claims tell its ways apart,
# its place among the details instead, and the highest bit.
cdef inline u32 plain(u32 step, int jokers, int cls) noexcept nogil:
    return step << 8 | <u32> jokers << 5 | <u32> cls

cdef inline u32 detailed(u32 detail) noexcept nogil:
    return <u32> 1 << 31 | detail

cdef inline bint is_detailed(u32 what) noexcept nogil:
    return what >> 31

cdef inline const Detail* detail_of(u32 what, const Detail* details) noexcept nogil:
    return details + (what & 0x7fffffff)

cdef inline u32 step_in(u32 what, const Detail* details) noexcept nogil:
    return detail_of(what, details).step if is_detailed(what) else what >> 8

cdef inline u32 jokers_in(u32 what, const Detail* details) noexcept nogil:
    return detail_of(what, details).jokers if is_detailed(what) else what >> 5 & 7

cdef struct Branch:
    u64 key             # of the frontier afterwards. Its tally: a hand tile was laid | node of the monitor << 1
    u32 what
    i64 cost            # of its tiles, where there are bounds
    i64 bound           # of what it leads to, its own cost included

cdef inline u32 picked(const u16* picks, int first, u32 place) noexcept nogil:
    return place if first == ALL_PICKS else picks[first + place]

# The way, or layout, with this place among those of a branch.
cdef inline u32 way_in(u32 what, const Detail* details, const u16* picks, u32 place) noexcept nogil:
    return picked(picks, detail_of(what, details).first_way, place) if is_detailed(what) else place

cdef inline u32 layout_in(u32 what, const Detail* details, const u16* picks, u32 place) noexcept nogil:
    return picked(picks, detail_of(what, details).first_layout, place) if is_detailed(what) else place


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
    cdef bint expand_quiet(self, const Layer* layer, const Frontier* f) except -1 nogil
