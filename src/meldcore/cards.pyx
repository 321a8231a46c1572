"""See cards.pxd.

No set of the table is ever taken apart, so that whatever a turn does, afterwards each of them is part of a set of its
own, perhaps with cards in the places of its jokers. Those without jokers are kept by every claim; for each with jokers
the claims differ in which were rescued. The cards that are in no kept set then come from the hand, by count, and so do
those that took a joker's place: nothing has to be spent. In what order the steps were done does not matter: a rescue
takes a natural card alone, so all rescues may come first, and before an opening's other steps come its counted sets.
"""

from libc.string cimport memcpy, memset

from meldcore.bits cimport popcount, u8, u32
from meldcore.claims cimport KEPT_GROUP, KEPT_RUN, SPENT, TAKEN_JOKER, Claim, add_token, block_token, tile_token
from meldcore.jokers cimport TableJokers, block_of, finish_rules
from meldcore.problem cimport COLOURS, ROOM
from meldcore.sets cimport (
    RuleFields, add_tiles, group_code, is_group, run_code, set_colour, set_detail, set_jokers, set_length, set_number,
)

cdef struct Position:               # what the options depend on
    const RuleFields* fields
    const u8 (*hand)[ROOM]


cdef TableJokers table_cards(const RuleFields* fields, const u32* codes, int n, const u8 (*table)[ROOM],
                             const u8 (*hand)[ROOM], int hand_jokers, int taken, bint opens):
    cdef TableJokers self = TableJokers()
    cdef Position position = Position(fields, hand)
    cdef Claim claim
    cdef int i
    memset(&claim, 0, sizeof(claim))
    memcpy(self.rules.table, table, sizeof(self.rules.table))
    memcpy(self.rules.worth, fields.value, sizeof(self.rules.worth))
    self.rules.cards = True
    self.rules.hand_jokers = hand_jokers
    self.rules.taken = taken
    self.rules.joker_worth = fields.joker_meld_value
    self.rules.one_set = taken and not opens and fields.discard_needs_40_always
    for i in range(n):
        self.rules.table_jokers += set_jokers(codes[i])
        if not set_jokers(codes[i]):
            self.rules.kept_block[self.rules.kept] = block_of(self, codes[i])
            self.rules.kept += 1
    if opens or self.rules.one_set:
        claim.value = fields.initial_meld
        claim.asks_taken = taken != 0
    elif taken == TAKEN_JOKER:
        claim.jokers = 1
    elif taken:
        add_token(&claim, tile_token(SPENT, taken >> 4, taken & 15))
    choose(self, &position, codes, n, &claim)
    finish_rules(self)
    return self


cdef void choose(TableJokers self, const Position* p, const u32* codes, int n, const Claim* so_far) noexcept:
    """Add every claim that begins with `so_far` and keeps each of the sets with or without its jokers."""
    while n and not set_jokers(codes[0]):
        codes += 1
        n -= 1
    if n == 0:
        self.claims.push_back(so_far[0])
    elif is_group(codes[0]):
        choose_in_group(self, p, codes, n, so_far)
    else:
        choose_in_run(self, p, codes, n, so_far)


cdef void keep(TableJokers self, const Position* p, const u32* codes, int sets, const Claim* so_far,
               u32 block) noexcept:
    """The first set becomes `block`, if the hand has what that takes. A taken joker asks for a joker more than those
    that are kept.
    """
    cdef Claim claim = so_far[0]
    cdef u8 before[COLOURS][ROOM]
    cdef u8 after[COLOURS][ROOM]
    cdef int c, n
    memset(before, 0, sizeof(before))
    memset(after, 0, sizeof(after))
    add_tiles(codes[0], before)
    add_tiles(block, after)
    for c in range(COLOURS):
        for n in range(ROOM):
            if after[c][n] > before[c][n] + p.hand[c][n]:
                return
    add_token(&claim, block_token(KEPT_GROUP if is_group(block) else KEPT_RUN, block_of(self, block)))
    if claim.jokers:
        claim.jokers += set_jokers(block)
    choose(self, p, codes + 1, sets - 1, &claim)


cdef void choose_in_run(TableJokers self, const Position* p, const u32* codes, int n,
                        const Claim* so_far) noexcept:
    cdef u32 jokers = set_detail(codes[0]), kept = jokers
    while True:                     # over all parts of the jokers
        keep(self, p, codes, n, so_far,
             run_code(set_colour(codes[0]), set_number(codes[0]), set_length(codes[0]), kept))
        if kept == 0:
            break
        kept = (kept - 1) & jokers


cdef void choose_in_group(TableJokers self, const Position* p, const u32* codes, int n,
                          const Claim* so_far) noexcept:
    """From a group of four nothing is rescued. With `group_rescue_needs_both` what rescues also fills the group."""
    cdef int number = set_number(codes[0]), jokers = set_detail(codes[0]) & 15, rescued, colours
    cdef int natural = set_detail(codes[0]) >> 4, missing = 15 & ~natural
    for rescued in range(jokers + 1 if set_length(codes[0]) == 3 else 1):
        for colours in range(16):
            if not colours & ~missing and popcount(colours) == (
                    rescued + 1 if rescued and p.fields.group_rescue_needs_both else rescued):
                keep(self, p, codes, n, so_far, group_code(number, natural | colours, jokers - rescued))
