"""Exact counts of arrangements."""

from meldcore.problem cimport Problem
from meldcore.tables cimport Tables

# How many different arrangements solve the problem, as a Python int.
cdef object count_arrangements(const Problem* problem, Tables tables)

# How long that takes, in seconds, without the Python int.
cdef double count_seconds(const Problem* problem, Tables tables) except -1
