"""Claims: what has to be true of the table afterwards so that the jokers of the table before may lie where they do.

A claim is one choice of kept and retrieved jokers (RULES.md 3), written as what it still needs: a list of tokens, and
how many retrieved jokers have no home yet. A turn is legal when some claim comes true. What a claim needs is settled
number by number along a sweep, so a claim is also what is left of it, and which open runs serve it.
"""

from libc.string cimport memcmp

from meldcore.bits cimport u8, u16, u32, u64

cdef enum:
    MAX_TOKENS = 14
    MAX_BLOCKS = 64

# A token: its kind in the upper bits, then what it is about.
cdef enum:
    SPENT = 0           # tile: one more of it is played from the hand, and replaces a joker (or completes its group)
    ROLE = 1            # tile: one more joker stands for it in a run
    GROUP_ROLE = 2      # colours and number: one more joker of a group can stand for one of these colours
    KEPT_RUN = 3        # block: a run that no run serves yet
    KEPT_GROUP = 4      # block: a group
    SERVING = 5         # open run, block: the run has the block's tiles so far
    CORE = 6            # open run: its last tiles are the beginning of a core, see core_token
    TAKEN = 7           # open run: it serves something already, and nothing else
    KIND_AT = 13
    COLOUR_AT = 10      # of an open run
    ENTRY_AT = 6        # its place among the open runs of its colour's state

cdef struct Claim:
    u8 count
    u8 homeless         # retrieved jokers that have no home yet
    u8 spare            # hand tiles given to groups at the current number that nothing uses yet, 2 bits a colour
    u8 unused
    u16 token[MAX_TOKENS]   # sorted; 0 beyond `count`

cdef struct JokerRules:
    u8 table[4][16]     # natural tiles on the table before; what is used beyond them is played
    int table_jokers
    bint homes          # retrieved jokers may not go anywhere: each needs a home
    bint whole          # the home is a set of hand tiles alone; else a set with a core
    int blocks
    u32 block[MAX_BLOCKS]   # kept sets, as set codes
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
    """Does `a` need nothing that `b` does not need as well? A core is what `b` is ahead of `a`, not a need, as long as
    `a` has jokers without a home.
    """
    cdef int i, k = 0
    if a.count > b.count or a.homeless > b.homeless:
        return False
    for i in range(0, 8, 2):
        if (a.spare >> i & 3) < (b.spare >> i & 3):
            return False
    for i in range(b.count):
        if k < a.count and a.token[k] == b.token[i]:
            k += 1
        elif a.homeless and token_kind(b.token[i]) == CORE:
            return False
    return k == a.count


cdef inline int compare_claims(const Claim* a, const Claim* b) noexcept nogil:
    return memcmp(a, b, sizeof(Claim))
