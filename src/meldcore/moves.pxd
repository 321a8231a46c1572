"""Sequences of arrangements that are numbered, not listed."""

from meldcore.bits cimport u32
from meldcore.diagram cimport Diagram, Walk
from meldcore.position cimport Position
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

cdef class Partitions(Arrangements):
    pass
