"""The best move under joker rules, or under any: see best.pxd."""

from meldcore.bits cimport u32
from meldcore.objective cimport Objective
from meldcore.problem cimport Problem
from meldcore.tables cimport Tables

# As best_arrangement, for any problem without a threshold.
cdef int best_of(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2
