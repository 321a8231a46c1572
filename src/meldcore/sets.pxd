"""Sets of the table as integers, tiles as counts, and how both are read from text and written.

A set code is 30 bits wide. Two sets are equal (RULES.md 1) exactly when their codes are, and codes sorted as
integers stand in the canonical order of a table: runs before groups, then by colour, number and length.

    bit 29      0: run, 1: group
    bits 27-28  colour: that of the run, or the lowest natural colour of the group
    bits 23-26  number: what the first tile of the run stands for, or the number of the group
    bits 19-22  length, jokers included
    bits 0-14   run: bit i is set when tile i is a joker; group: mask of natural colours << 4 | jokers
"""

from libcpp.algorithm cimport sort

from meldcore.bits cimport lowest, popcount, u8, u32
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM

cdef enum:
    KIND_BIT = 29
    COLOUR_BIT = 27
    NUMBER_BIT = 23
    LENGTH_BIT = 19
    DETAIL = (1 << 15) - 1

    JOKER = -1              # where a colour, or a tile, is named by a number

    MOST_COUNTED = 100      # so that a table's count and a hand's add up within 8 bits


cdef inline u32 run_code(int colour, int first, int length, u32 joker_mask) noexcept nogil:
    return <u32> colour << COLOUR_BIT | <u32> first << NUMBER_BIT | <u32> length << LENGTH_BIT | joker_mask

cdef inline u32 group_code(int number, u32 colour_mask, int jokers) noexcept nogil:
    """`colour_mask` holds the natural tiles' colours, at least one."""
    cdef u32 length = popcount(colour_mask) + jokers
    return (1u << KIND_BIT | <u32> lowest(colour_mask) << COLOUR_BIT | <u32> number << NUMBER_BIT
            | length << LENGTH_BIT | colour_mask << 4 | <u32> jokers)

cdef inline bint is_group(u32 code) noexcept nogil:
    return code >> KIND_BIT

cdef inline int set_colour(u32 code) noexcept nogil:
    return code >> COLOUR_BIT & 3

cdef inline int set_number(u32 code) noexcept nogil:
    return code >> NUMBER_BIT & 15

cdef inline int set_length(u32 code) noexcept nogil:
    return code >> LENGTH_BIT & 15

cdef inline u32 set_detail(u32 code) noexcept nogil:
    return code & DETAIL

cdef inline int set_jokers(u32 code) noexcept nogil:
    return code & 15 if is_group(code) else popcount(code & DETAIL)

cdef inline int add_tiles(u32 code, u8 (*counts)[ROOM]) noexcept nogil:
    """Add the natural tiles of a set to `counts`; returns the number of its jokers."""
    cdef u32 naturals
    if is_group(code):
        naturals = set_detail(code) >> 4
        while naturals:
            counts[lowest(naturals)][set_number(code)] += 1
            naturals &= naturals - 1
    else:
        naturals = ~set_detail(code) & ((1u << set_length(code)) - 1)
        while naturals:
            counts[set_colour(code)][set_number(code) + lowest(naturals)] += 1
            naturals &= naturals - 1
    return set_jokers(code)

cdef inline void sort_codes(u32* codes, int n) noexcept nogil:
    sort(codes, codes + n)


cdef enum Retrieval:
    FREE
    REPLACE
    REPLACE_FROM_HAND

cdef enum RetrievedUse:
    ANYWHERE
    NEW_SET
    HAND_ONLY_SET

cdef struct Notation:               # how the tiles of an edition are written
    int numbers                     # the highest: it decides which groups need a leading "="
    bint cards                      # suits S H C D for colours 0..3, ranks 2..10 J Q K A for numbers 1..13

cdef struct RuleFields:
    Notation notation
    u8 value[ROOM]                  # what the tiles of a number are worth; it never falls from one number to the next
    int colours
    int copies
    int jokers
    int max_jokers_per_set      # ROOM where there is no limit
    int initial_meld
    int joker_meld_value        # -1: the tile it stands for
    int joker_hand_value
    bint table_play_on_opening_turn
    Retrieval joker_retrieval
    bint joker_sets_locked
    RetrievedUse retrieved_joker_use
    bint group_joker_needs_all
    bint group_rescue_needs_both
    bint discard_needs_40_always

cdef inline int set_value(u32 code, const RuleFields* fields) noexcept nogil:
    """Points in an initial meld; each joker counts `joker_meld_value`, or as the tile it stands for."""
    cdef int i, step = 0 if is_group(code) else 1, value = 0
    cdef u32 jokers = 0
    if fields.joker_meld_value >= 0:
        jokers = set_detail(code) if step else (1u << set_jokers(code)) - 1
    for i in range(set_length(code)):
        value += fields.joker_meld_value if jokers >> i & 1 else fields.value[set_number(code) + step * i]
    return value

cdef inline int hand_value(const u8 (*tiles)[ROOM], int jokers, const RuleFields* fields) noexcept nogil:
    """Points of tiles that leave or stay in a hand."""
    cdef int c, n, points = jokers * fields.joker_hand_value
    for c in range(COLOURS):
        for n in range(ROOM):
            points += tiles[c][n] * fields.value[n]
    return points

cdef class CoreRules:
    """What the core needs of a Rules object, read from it once and kept in it."""
    cdef RuleFields fields

# A Rules object from what users give: a Rules object, the name of a preset, or an object of fields.
cdef object rules_of(object rules)

# `rules` is a Rules object.
cdef CoreRules core_rules(object rules)

# A notation from what users give; BadRequest where there is none such.
cdef Notation notation_of(object numbers, object cards) except *

# To read sets whose rules are not known: what decides what a set is, but the notation, is at its widest.
cdef CoreRules largest_edition(Notation notation)

# One tile: its colour, or JOKER. `where` and `path` are for errors.
cdef int read_tile(object text, str where, str path, CoreRules core, int* number) except -2

# Read a table, a string or a sequence of set strings, into at most MAX_SETS codes in the order given; returns
# their number. Every tile is one of the edition and every set is valid (RULES.md 1); copies are not checked.
# `name` says in errors what it is: "table", "after". Tiles that form no set are a BadSet, or where there is a list
# `no_sets` they are added to it: pairs of their text and why.
cdef int read_table(object table, str name, CoreRules core, u32* codes, list no_sets=*) except -1

# The same from text[start:end]; errors name places in the whole text.
cdef int read_table_text(str text, Py_ssize_t start, Py_ssize_t end, str name, CoreRules core,
                         u32* codes, list no_sets=*) except -1

# Add loose tiles, a string or a sequence of tile strings, to `counts`; returns the number of their jokers.
# `name` says in errors what they are: "hand", "tiles". Copies are not checked; a count stops at MOST_COUNTED.
cdef int read_tiles(object tiles, str name, CoreRules core, u8 (*counts)[ROOM]) except -1
cdef int read_tiles_text(str text, Py_ssize_t start, Py_ssize_t end, str name, CoreRules core,
                         u8 (*counts)[ROOM]) except -1

# Loose tiles that can be read more than once: an iterable as a tuple, a string as it is.
cdef object repeatable(object tiles, str name, CoreRules core)

# Raise BadPosition where `counts` and `jokers` exceed the edition, naming the first tile too many. They sum
# up `codes`, the n sets of a table in the order given, and `tiles`, loose tiles as they were given.
cdef int check_copies(const u8 (*counts)[ROOM], int jokers, const u32* codes, int n, object tiles, str name,
                      CoreRules core) except -1

# Canonical text.
cdef str format_set(u32 code, Notation notation)
cdef tuple format_table(const u32* codes, int n, Notation notation)
cdef tuple format_tiles(const u8 (*counts)[ROOM], int jokers, Notation notation)
cpdef str tile_text(int tile, bint cards=*)
