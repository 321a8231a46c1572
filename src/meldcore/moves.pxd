"""Sequences of arrangements that are numbered, not listed."""

from meldcore.bits cimport u32, u128
from meldcore.diagram cimport Diagram, Walk
from meldcore.position cimport Position

cdef class Arrangements:
    cdef readonly Position position
    cdef Diagram diagram
    cdef Walk walk                  # for [k] and index; only used under the GIL
    cdef object ranks               # a range over the ranks of the diagram

    cdef object item(self, const u32* codes, int count)
    cdef int codes_of(self, object item, u32* codes) except -2
    cdef object rank_of(self, object item)
    cdef object at(self, object rank)
    cdef Arrangements part(self, object ranks)

cdef class Moves(Arrangements):
    cdef bint is_whole(self)

cdef class Partitions(Arrangements):
    pass
