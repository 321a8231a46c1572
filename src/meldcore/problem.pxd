"""What a search is given: the tiles that must and the tiles that may be used. It knows no presets and no players."""

from meldcore.bits cimport u8, u64
from meldcore.claims cimport JokerRules
from meldcore.stop cimport StopPointer

cdef enum:
    COLOURS = 4           # room; an edition may have fewer
    ROOM = 16             # numbers run from 1 to 15 at most, place 0 is not used
    MAX_SETS = 64         # 160 tiles make 53 sets

cdef struct Work:               # what searches have done, see Stats in stats.py
    u64 frontiers
    u64 cells
    u64 steps
    bint gave_up

cdef struct Problem:
    int numbers
    int colours
    u8 must[COLOURS][ROOM]      # copies that have to be used: the table's
    u8 most[COLOURS][ROOM]      # copies at hand: the table's and the hand's, must <= most
    int must_jokers
    int jokers                  # must_jokers <= jokers
    bint lay                    # at least one tile beyond `must` has to be used
    int threshold               # what the sets must be worth together; 0: nothing to reach
    u8 value[ROOM]              # what a tile of each number counts in points; it never falls from one to the next
    int joker_value             # what a joker counts in `threshold`; -1: the tile it stands for
    bint part                   # the threshold concerns some part of the tiles beyond `must`, arranged by itself
    const JokerRules* joker_rules   # what the table's jokers demand; NULL: they are free
    StopPointer stop            # ends the search early; NULL: nothing does
    Work* work                  # searches add what they do; NULL: nobody wants to know


cdef inline int most_in_runs(const Problem* p, int colour, int number) noexcept nogil:
    """Jokers that may lie in the runs of a colour at a number. Those of the hand may lie anywhere."""
    if p.joker_rules == NULL:
        return p.jokers
    return p.joker_rules.most_in_runs[colour][number] + p.jokers - p.joker_rules.table_jokers

cdef inline int most_in_groups(const Problem* p, int number) noexcept nogil:
    """Jokers that may lie in the groups of a number."""
    if p.joker_rules == NULL:
        return p.jokers
    return p.joker_rules.most_in_groups[number] + p.jokers - p.joker_rules.table_jokers
