"""The best move under free jokers, without listing any."""

from meldcore.bits cimport u32
from meldcore.objective cimport Objective
from meldcore.problem cimport Problem
from meldcore.tables cimport Tables

# The arrangement that gains the most, the first such in the order of moves. Writes its sets to `codes`, in any order,
# and returns how many they are; -1 where no arrangement is legal. The threshold of `problem` is 0.
cdef int best_arrangement(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2
