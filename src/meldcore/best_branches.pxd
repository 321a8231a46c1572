"""The best move under joker rules, where it is soon found."""

from meldcore.bits cimport i64, u32
from meldcore.objective cimport Objective
from meldcore.problem cimport Problem
from meldcore.tables cimport Tables

cdef enum:
    GAVE_UP = -2

# As best_arrangement (best.pxd), for a problem with joker rules. GAVE_UP where a diagram is faster. `cost`: what the
# best arrangement that was met costs (see Bounds), IMPOSSIBLE where none was.
cdef int best_by_branches(const Problem* problem, Tables tables, const Objective* objective, u32* codes,
                          i64* cost) except -3
