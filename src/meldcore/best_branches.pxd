"""The best move under joker rules."""

from meldcore.bits cimport u32
from meldcore.objective cimport Objective
from meldcore.problem cimport Problem
from meldcore.tables cimport Tables

# As best_arrangement (best.pxd), for a problem with joker rules.
cdef int best_by_branches(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2
