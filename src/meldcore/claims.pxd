"""Claims: what has to be true of the table afterwards so that the jokers of the table before may lie where they do.

A claim is one choice of kept and retrieved jokers (RULES.md 3), written as what it still needs: a list of tokens, and
how many retrieved jokers have no home yet. A turn is legal when some claim comes true. What a claim needs is settled
number by number along a sweep, so a claim is also what is left of it, and which open runs serve it.
"""

from libc.string cimport memcmp

from meldcore.bits cimport u8, u16, u32, u64

cdef enum:
    TAKEN_JOKER = 255
    MAX_TOKENS = 20
    MAX_BLOCKS = 128    # the sets of a table, and what can become of those with jokers: no more than 70

# A token: its kind in the upper bits, then what it is about.
cdef enum:
    SPENT = 0           # tile: one more of it is played from the hand, and replaces a joker (or completes its group)
    ROLE = 1            # tile: one more joker stands for it in a run
    GROUP_ROLE = 2      # colours and number: one more joker of a group can stand for one of these colours
    KEPT_RUN = 3        # block: a run that no run serves yet
    KEPT_GROUP = 4      # block: a group
    SERVING = 5         # open run, block: the run has the block's tiles so far
    CORE = 6            # open run: its last tiles are the beginning of a core
    COUNTED = 6         # the same in the card game: the run is made of hand cards, and counts for the value asked
    TAKEN = 7           # open run: it serves something already, and nothing else
    KIND_AT = 13
    COLOUR_AT = 11      # of an open run
    ENTRY_AT = 7        # its place among the open runs of its colour's state

cdef struct Claim:
    u8 count
    u8 homeless         # retrieved jokers that have no home yet
    u8 spare            # hand tiles given to groups at the current number that nothing uses yet, 2 bits a colour
    # In the card game:
    u8 jokers           # least that lie on the table at the end
    u16 value           # what sets made of hand cards have still to be worth
    u8 counted_jokers   # in those sets
    u8 asks_taken       # one of them has still to hold the card taken
    u16 token[MAX_TOKENS]   # sorted; 0 beyond `count`

cdef struct JokerRules:
    u8 table[4][16]     # natural tiles on the table before; what is used beyond them is played
    int table_jokers
    # How many of the table's jokers may lie where at the end, whichever claim comes true:
    u8 fewest_in_runs[4][16]    # [colour][number]
    u8 most_in_runs[4][16]
    u8 fewest_in_groups[16]     # [number]
    u8 most_in_groups[16]
    bint homes          # retrieved jokers may not go anywhere: each needs a home
    bint whole          # the home is a set of hand tiles alone; else a set with a core
    u16 natural_cores[4]    # [colour] set of numbers where a core in a run may begin with a hand tile
    u16 joker_cores[4]      # or with a joker
    u16 run_cores[4]        # or may lie
    u16 group_cores         # set of numbers with hand tiles that may lie in the core of a group
    int blocks
    u32 block[MAX_BLOCKS]   # kept sets, as set codes
    # In the card game:
    bint cards
    int kept                # sets of the table that no claim lets change but by growing,
    u8 kept_block[MAX_BLOCKS]   # as blocks
    int hand_jokers
    bint one_set            # one set alone has to be worth the value that is asked, and may hold any joker
    int taken               # the card taken, colour << 4 | number; TAKEN_JOKER; 0: none
    u8 worth[16]            # [number] of a card
    int joker_worth         # -1: that of the card it stands for
    int claims
    const Claim* claim


cdef inline int token_kind(int token) noexcept nogil:
    return token >> KIND_AT

cdef inline u16 tile_token(int kind, int colour, int number) noexcept nogil:
    return <u16> (kind << KIND_AT | colour << 4 | number)

cdef inline int token_tile(int token) noexcept nogil:
    """colour << 4 | number; of a GROUP_ROLE: set of colours << 4 | number."""
    return token & 255

cdef inline u16 block_token(int kind, int block) noexcept nogil:
    return <u16> (kind << KIND_AT | block)

cdef inline int token_block(int token) noexcept nogil:
    return token & (MAX_BLOCKS - 1)

cdef inline u16 run_token(int kind, int colour, int entry, int detail) noexcept nogil:
    """detail: the block of SERVING; of a CORE its hand tiles, two standing for more, 4 where one is natural, and 8
    where it is the home of a joker. No more cores than there are jokers without a home wait for one: claims are short.
    """
    return <u16> (kind << KIND_AT | colour << COLOUR_AT | entry << ENTRY_AT | detail)

cdef inline int token_colour(int token) noexcept nogil:
    return token >> COLOUR_AT & 3

cdef inline int token_entry(int token) noexcept nogil:
    return token >> ENTRY_AT & 15


cdef inline void add_token(Claim* claim, int token) noexcept nogil:
    cdef int i = claim.count
    claim.count += 1
    while i and claim.token[i - 1] > token:
        claim.token[i] = claim.token[i - 1]
        i -= 1
    claim.token[i] = token


cdef inline bint is_easier(const Claim* a, const Claim* b) noexcept nogil:
    """Does `a` need nothing that `b` does not need as well? A core, or a counted run, is what `b` is ahead of `a`, not
    a need, as long as `a` can use one.
    """
    cdef int i, k = 0
    cdef bint looks = a.homeless or a.value or a.asks_taken
    if (a.count > b.count or a.homeless > b.homeless or a.value > b.value or a.asks_taken > b.asks_taken
            or a.counted_jokers > b.counted_jokers or a.jokers > b.jokers):
        return False
    for i in range(0, 8, 2):
        if (a.spare >> i & 3) < (b.spare >> i & 3):
            return False
    for i in range(b.count):
        if k < a.count and a.token[k] == b.token[i]:
            k += 1
        elif looks and token_kind(b.token[i]) == CORE:
            return False
    return k == a.count


cdef inline bint is_done(const Claim* claim) noexcept nogil:
    """Is nothing asked any more, but perhaps how many jokers there are?"""
    return claim.count == 0 and claim.homeless == 0 and claim.value == 0 and claim.asks_taken == 0


cdef inline int compare_claims(const Claim* a, const Claim* b) noexcept nogil:
    return memcmp(a, b, sizeof(Claim))
