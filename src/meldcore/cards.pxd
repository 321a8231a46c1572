"""The turns of the card game (RULES.md 7) as claims."""

from meldcore.bits cimport u8, u32
from meldcore.jokers cimport TableJokers
from meldcore.problem cimport ROOM
from meldcore.sets cimport RuleFields

# What a turn has to leave on the table: see jokers.pxd. `taken`: the card taken from the discard pile, as
# JokerRules.taken. `opens`: the initial meld has still to be laid.
cdef TableJokers table_cards(const RuleFields* fields, const u32* codes, int n, const u8 (*table)[ROOM],
                             const u8 (*hand)[ROOM], int hand_jokers, int taken, bint opens)
