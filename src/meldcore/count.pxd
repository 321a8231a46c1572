"""Exact counts of arrangements."""

from meldcore.bits cimport u128
from meldcore.outcome cimport FAILED, Outcome
from meldcore.problem cimport Problem
from meldcore.tables cimport Automata, Tables

cdef class Counter:
    """Counts the arrangements of many problems, one after the other, without the GIL."""
    cdef object arena

    # Outcomes as of a search (outcome.pxd); after TOO_LARGE the memory it has taken is best given up with it.
    cdef Outcome count(self, const Problem* problem, const Automata* automata, u128* total) except FAILED nogil

# How many different arrangements solve the problem, as a Python int.
cdef object count_arrangements(const Problem* problem, Tables tables)

# How long that takes, in seconds, without the Python int.
cdef double count_seconds(const Problem* problem, Tables tables) except -1
