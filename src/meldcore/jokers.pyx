"""See jokers.pxd.

Every joker of the table is kept or retrieved. For each set with jokers the options are listed, with the hand tiles that
are spent on them and what has to be found on the table afterwards; a claim is an option for every set, as far as the
hand has the tiles.
"""

from libc.string cimport memcpy, memset

from meldcore.bits cimport lowest, popcount, u8, u32
from meldcore.claims cimport (
    GROUP_ROLE, KEPT_GROUP, KEPT_RUN, ROLE, SPENT, Claim, JokerRules, add_token, block_token, tile_token, token_block,
    token_kind, token_tile,
)
from meldcore.problem cimport COLOURS, ROOM
from meldcore.sets cimport (
    ANYWHERE, HAND_ONLY_SET, REPLACE, RuleFields, group_code, is_group, run_code, set_colour, set_detail,
    set_jokers, set_length, set_number,
)

cdef struct Position:               # what the options depend on
    const RuleFields* fields
    const u8 (*table)[ROOM]
    u8 hand[COLOURS][ROOM]          # not spent yet


cdef TableJokers table_jokers(const RuleFields* fields, const u32* codes, int n, const u8 (*table)[ROOM],
                              const u8 (*hand)[ROOM], int hand_jokers):
    cdef TableJokers self
    cdef Position position
    cdef Claim claim
    cdef int i
    self = TableJokers()
    position.fields = fields
    position.table = table
    memcpy(position.hand, hand, sizeof(position.hand))
    memcpy(self.rules.table, table, sizeof(self.rules.table))
    for i in range(n):
        self.rules.table_jokers += set_jokers(codes[i])
    self.rules.homes = fields.retrieved_joker_use != ANYWHERE
    self.rules.whole = fields.retrieved_joker_use == HAND_ONLY_SET
    memset(&claim, 0, sizeof(claim))
    choose(self, &position, codes, n, &claim)
    for i in range(<int> self.claims.size()):
        if self.claims[i].homeless:
            find_cores(&self.rules, fields.notation.numbers, hand, hand_jokers)
            break
    finish_rules(self)
    return self


cdef void choose(TableJokers self, Position* p, const u32* codes, int n, const Claim* so_far) noexcept:
    """Add every claim that begins with `so_far` and goes on with an option for each of the sets."""
    while n and not set_jokers(codes[0]):
        codes += 1
        n -= 1
    if n == 0:
        self.claims.push_back(so_far[0])
    elif p.fields.joker_retrieval == REPLACE:
        choose_by_reach(self, p, codes, n, 0, so_far)
    elif is_group(codes[0]):
        choose_in_group(self, p, codes, n, so_far)
    else:
        choose_in_run(self, p, codes, n, so_far)


cdef void find_cores(JokerRules* r, int numbers, const u8 (*hand)[ROOM], int hand_jokers) noexcept:
    """Where cores of retrieved jokers may be: looks only at which tiles the hand has."""
    cdef int c, n, end, naturals, colours, jokers = r.table_jokers + hand_jokers
    for c in range(COLOURS):
        for n in range(1, numbers - 1):
            naturals = 0
            for end in range(n, min(numbers, n + 2 + jokers) + 1):
                naturals += hand[c][end] > 0
                if end >= n + 2 and end - n + 1 - naturals <= jokers and naturals and naturals + hand_jokers >= 2:
                    r.joker_cores[c] |= 1 << n
                    r.run_cores[c] |= (2 << end) - (1 << n)
                    if hand[c][n]:
                        r.natural_cores[c] |= 1 << n
    for n in range(1, numbers + 1):
        colours = 0
        for c in range(COLOURS):
            colours += hand[c][n] > 0
        if colours and colours + hand_jokers >= 2:
            r.group_cores |= 1 << n


cdef void finish_rules(TableJokers self) noexcept:
    cdef JokerRules* r = &self.rules
    cdef u8 runs[COLOURS][ROOM]
    cdef u8 groups[ROOM]
    cdef int i, c, n, homeless, anywhere, most
    r.claims = <int> self.claims.size()
    r.claim = self.claims.data()
    memset(r.fewest_in_runs, 255, sizeof(r.fewest_in_runs))
    memset(r.fewest_in_groups, 255, sizeof(r.fewest_in_groups))
    memset(r.most_in_runs, 0, sizeof(r.most_in_runs))
    memset(r.most_in_groups, 0, sizeof(r.most_in_groups))
    for i in range(r.claims):
        memset(runs, 0, sizeof(runs))
        memset(groups, 0, sizeof(groups))
        homeless = r.claim[i].homeless
        anywhere = r.table_jokers - homeless - find_places(r, &r.claim[i], runs, groups)
        for n in range(ROOM):
            most = groups[n] + anywhere + (homeless if r.group_cores >> n & 1 else 0)
            r.most_in_groups[n] = max(<int> r.most_in_groups[n], most)
            r.fewest_in_groups[n] = min(r.fewest_in_groups[n], groups[n])
            for c in range(COLOURS):
                most = runs[c][n] + anywhere + (homeless if r.run_cores[c] >> n & 1 else 0)
                r.most_in_runs[c][n] = max(<int> r.most_in_runs[c][n], most)
                r.fewest_in_runs[c][n] = min(r.fewest_in_runs[c][n], runs[c][n])


cdef int find_places(const JokerRules* rules, const Claim* claim, u8 (*runs)[ROOM], u8* groups) noexcept:
    """Count the jokers of the claim that have their places in runs and groups already; returns how many these are."""
    cdef int i, kind, token, count = 0
    cdef u32 code, left
    for i in range(claim.count):
        token = claim.token[i]
        kind = token_kind(token)
        if kind == ROLE:
            runs[token_tile(token) >> 4][token_tile(token) & 15] += 1
            count += 1
        elif kind == GROUP_ROLE:
            groups[token_tile(token) & 15] += 1
            count += 1
        elif kind == KEPT_RUN:
            code = rules.block[token_block(token)]
            left = set_detail(code)
            count += popcount(left)
            while left:
                runs[set_colour(code)][set_number(code) + lowest(left)] += 1
                left &= left - 1
        elif kind == KEPT_GROUP:
            code = rules.block[token_block(token)]
            groups[set_number(code)] += set_jokers(code)
            count += set_jokers(code)
    return count


# ---------------------------------------------------------------- replaced from the hand

cdef void choose_in_run(TableJokers self, Position* p, const u32* codes, int n, const Claim* so_far) noexcept:
    cdef int colour = set_colour(codes[0]), first = set_number(codes[0]), place, block
    cdef u32 jokers = set_detail(codes[0]), retrieved = jokers, left
    cdef Claim claim
    cdef bint held
    while True:                     # over all parts of the jokers
        claim = so_far[0]
        held = True
        left = retrieved
        while left:
            place = lowest(left)
            left &= left - 1
            held = held and p.hand[colour][first + place] > 0
            add_token(&claim, tile_token(SPENT, colour, first + place))
        if held:
            spend(p, colour, first, retrieved, -1)
            if self.rules.homes:
                claim.homeless += popcount(retrieved)
            left = jokers & ~retrieved
            if left and p.fields.joker_sets_locked:
                block = block_of(self, run_code(colour, first, set_length(codes[0]), left))
                add_token(&claim, block_token(KEPT_RUN, block))
            elif left:
                while left:
                    add_token(&claim, tile_token(ROLE, colour, first + lowest(left)))
                    left &= left - 1
            choose(self, p, codes + 1, n - 1, &claim)
            spend(p, colour, first, retrieved, 1)
        if retrieved == 0:
            break
        retrieved = (retrieved - 1) & jokers


cdef void spend(Position* p, int colour, int first, u32 places, int change) noexcept:
    while places:
        p.hand[colour][first + lowest(places)] += change
        places &= places - 1


cdef void choose_in_group(TableJokers self, Position* p, const u32* codes, int n, const Claim* so_far) noexcept:
    cdef int number = set_number(codes[0]), jokers = set_detail(codes[0]) & 15, retrieved, c, spent, block
    cdef int natural = set_detail(codes[0]) >> 4, missing = ((1 << p.fields.colours) - 1) & ~natural, colours
    cdef Claim claim
    for retrieved in range(jokers + 1):
        spent = retrieved
        if retrieved and p.fields.group_joker_needs_all:
            spent += p.fields.colours - set_length(codes[0])
        for colours in range(1 << p.fields.colours):
            if colours & ~missing or popcount(colours) != spent or not holds(p, number, colours):
                continue
            claim = so_far[0]
            if self.rules.homes:
                claim.homeless += retrieved
            for c in range(COLOURS):
                if colours >> c & 1:
                    p.hand[c][number] -= 1
                    add_token(&claim, tile_token(SPENT, c, number))
            if retrieved < jokers and p.fields.joker_sets_locked:
                block = block_of(self, group_code(number, natural | colours, jokers - retrieved))
                add_token(&claim, block_token(KEPT_GROUP, block))
            elif retrieved < jokers:
                for _ in range(jokers - retrieved):
                    add_token(&claim, tile_token(GROUP_ROLE, missing & ~colours, number))
            choose(self, p, codes + 1, n - 1, &claim)
            for c in range(COLOURS):
                p.hand[c][number] += colours >> c & 1


cdef bint holds(const Position* p, int number, int colours) noexcept:
    cdef int c
    for c in range(COLOURS):
        if colours >> c & 1 and not p.hand[c][number]:
            return False
    return True


cdef int block_of(TableJokers self, u32 code) noexcept:
    cdef int i
    for i in range(self.rules.blocks):
        if self.rules.block[i] == code:
            return i
    self.rules.block[self.rules.blocks] = code
    self.rules.blocks += 1
    return self.rules.blocks - 1


# ---------------------------------------------------------------- replaced by what is within reach

cdef void choose_by_reach(TableJokers self, Position* p, const u32* codes, int n, int joker,
                          const Claim* so_far) noexcept:
    """The joker with this place among those of the first set, and all after it. Reach is not used up: a hand tile
    that is played lets all jokers go that it may replace, so it is needed once.
    """
    cdef u32 code = codes[0], left = set_detail(code)
    cdef int c, number = set_number(code), colours, i
    cdef Claim claim
    cdef bint asked
    if joker == set_jokers(code):
        choose(self, p, codes + 1, n - 1, so_far)
        return
    if is_group(code):
        colours = ((1 << p.fields.colours) - 1) & ~(left >> 4)
    else:
        for _ in range(joker):
            left &= left - 1
        number += lowest(left)
        colours = 1 << set_colour(code)
    for c in range(COLOURS):
        if colours >> c & 1 and p.table[c][number]:
            choose_by_reach(self, p, codes, n, joker + 1, so_far)
            return
    claim = so_far[0]
    add_token(&claim, tile_token(GROUP_ROLE, colours, number) if is_group(code)
              else tile_token(ROLE, set_colour(code), number))
    choose_by_reach(self, p, codes, n, joker + 1, &claim)
    for c in range(COLOURS):
        if colours >> c & 1 and p.hand[c][number]:
            claim = so_far[0]
            asked = False
            for i in range(claim.count):
                asked = asked or claim.token[i] == tile_token(SPENT, c, number)
            if not asked:
                add_token(&claim, tile_token(SPENT, c, number))
            choose_by_reach(self, p, codes, n, joker + 1, &claim)
