"""The joker rules of RULES.md 3 as claims: the one place of the searches that knows them."""

from libcpp.vector cimport vector

from meldcore.bits cimport u8, u32
from meldcore.claims cimport Claim, JokerRules
from meldcore.problem cimport ROOM
from meldcore.sets cimport RuleFields

cdef class TableJokers:
    """What the jokers of a table demand of a turn: `rules` for Problem.joker_rules, alive as long as this object."""
    cdef JokerRules rules
    cdef vector[Claim] claims

# For the table `codes`, n sets, with its natural tiles and those of the hand, under rules other than free jokers.
cdef TableJokers table_jokers(const RuleFields* fields, const u32* codes, int n, const u8 (*table)[ROOM],
                              const u8 (*hand)[ROOM], int hand_jokers)

# Work out where the table's jokers may lie, when all claims are there.
cdef void finish_rules(TableJokers self) noexcept

# The place of a set among the blocks, where it is put if it is not there.
cdef int block_of(TableJokers self, u32 code) noexcept
