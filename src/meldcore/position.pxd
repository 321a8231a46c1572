"""Positions and moves: what the searches are asked about, and what they answer."""

from meldcore.bits cimport u8, u32
from meldcore.jokers cimport TableJokers
from meldcore.objective cimport Objective
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM, Problem
from meldcore.sets cimport CoreRules, Notation, RuleFields
from meldcore.tables cimport Tables

cdef enum:
    NOT_TAKEN = -2                          # beside tiles, and JOKER

cdef class Position:
    cdef readonly object rules
    cdef readonly bint opened
    cdef CoreRules core
    cdef int sets
    cdef u32 codes[MAX_SETS]                # the table, sorted
    cdef u8 table_tiles[COLOURS][ROOM]      # natural tiles
    cdef u8 hand_tiles[COLOURS][ROOM]
    cdef int table_jokers
    cdef int hand_jokers
    cdef int taken_card                     # colour * ROOM + number, JOKER or NOT_TAKEN
    cdef TableJokers demands                # what the table's jokers demand; None until a search asks

    cdef inline bint is_opening(self) noexcept:
        """The initial meld has still to be laid."""
        return not self.opened and self.core.fields.initial_meld > 0

    cdef inline bint table_is_fixed(self) noexcept:
        """Opening without table play: the sets of the table stay, a search is given the hand alone."""
        return self.is_opening() and not self.core.fields.table_play_on_opening_turn

    # What a search is asked, valid as long as this position.
    cdef int fill_problem(self, Problem* p) except -1

    # The splits of exactly the tiles in hand into sets. It knows no turns: the same in every game.
    cdef void fill_partition(self, Problem* p) noexcept

    # An objective for its moves.
    cdef int read_objective(self, object objective, Objective* out) except -1

    # The automata for a problem of this position.
    cdef Tables tables_of(self, const Problem* p)

    # The sets of `move` that a search of this position lays, sorted; returns their number, or -1 where the
    # table is fixed and the move changes it.
    cdef int searched_sets(self, Move move, u32* codes) noexcept

    cdef int settle(self, object hand, str name) except -1
    cdef int read_taken(self, object taken) except -1
    cdef int need_tiles(self) except -1
    cdef bint has_taken(self) noexcept
    # As fill_problem, in the card game; a discard is not taken off yet.
    cdef int fill_cards(self, Problem* p) except -1
    cdef void fill_table_and_hand(self, Problem* p) noexcept
    cdef void fill_initial_meld(self, Problem* p, const u8 (*tiles)[ROOM], int jokers) noexcept
    cdef Move judged(self, const u32* codes, int sets, list no_sets)
    cdef bint knows(self, Move move)
    cdef int check_move(self, Move move) except -1
    cdef object verdict(self, const u32* codes, int sets, list no_sets, object discard=*)
    cdef object turn_to(self, const u32* codes, int sets, list no_sets, object discard=*)
    cdef object read_discard(self, object discard)
    cdef int most_worth(self, const u8 (*tiles)[ROOM], int jokers) except -1


cdef class Move:
    cdef readonly int points
    cdef readonly int unchanged
    cdef Notation notation                  # of the edition
    cdef int sets
    cdef u32 codes[MAX_SETS]                # the table afterwards, sorted
    cdef u8 tiles[COLOURS][ROOM]            # natural tiles played
    cdef int jokers                         # jokers played
    cdef Position origin                    # of which it is known to be a legal turn; None: of none yet


# What a problem needs to know of an edition: all but the tiles, the threshold and the rules about jokers.
cdef void fill_edition(Problem* p, const RuleFields* fields) noexcept

# An opened player's position of loose tiles and no table; errors call them `name`.
cdef Position loose_position(object tiles, str name, object rules)

# IllegalMove, with every reason, where the referee says so; and where `move` is not `own`, what its table makes here.
cdef int need_legal(object verdict) except -1
cdef int need_equal(object move, object own) except -1

# The move to the table `codes`, sorted, which holds every natural tile of the table before; of the card game all but
# the discard.
cdef Move move_of(Position position, const u32* codes, int n)

# The move of `position` whose search answered with `codes`, n sets in any order.
cdef Move make_move(Position position, const u32* codes, int n)
