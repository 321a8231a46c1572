"""Sequences of arrangements that are numbered, not listed."""

from meldcore.bits cimport u32
from meldcore.diagram cimport Diagram, Walk
from meldcore.objective cimport Objective
from meldcore.position cimport Move, Position
from meldcore.sequence cimport LazySequence

cdef class Arrangements(LazySequence):
    cdef readonly Position position
    cdef Diagram diagram
    cdef Walk walk                  # for [k] and index; only used under the GIL

    cdef object item(self, const u32* codes, int count)
    # The sets of an item; -1 where it cannot be one of these.
    cdef int codes_of(self, object item, u32* codes) except -2
    cdef int fixed_sets(self)
    cdef void fill(self, u32[:, ::1] rows)

cdef class Moves(Arrangements):
    cdef readonly object objective      # None: all moves; else only those that reach its best value

    cdef object few(self)

# What the tiles and jokers played gain.
cdef object gain_of(Move move, const Objective* objective)

cdef class Partitions(Arrangements):
    pass
