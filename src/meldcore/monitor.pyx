"""See monitor.pxd."""

from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from meldcore.bits cimport popcount, u16, u32, u64
from meldcore.claims cimport (
    CORE, COUNTED, GROUP_ROLE, KEPT_GROUP, KEPT_RUN, MAX_TOKENS, ROLE, SERVING, SPENT, TAKEN, TAKEN_JOKER, Claim,
    block_token, compare_claims, is_done, is_easier, run_token, token_block, token_colour, token_entry, token_kind,
    token_tile,
)
from meldcore.plan cimport Layer, LiveStep, Plan, tally_place
from meldcore.problem cimport Problem
from meldcore.sets cimport is_group, set_colour, set_detail, set_jokers, set_length, set_number
from meldcore.tables cimport MAX_COPIES, NEW_RUN, Automata, Part, Span, Way, layout_span
from meldcore.tally cimport REACHED, Tally

cdef enum:
    MOST_CLAIMS = 1500000           # 48 MB
    MOST_MEMOS = 2000000            # 64 MB with the room between them
    CORE_HOME = 8                   # see run_token
    CORE_NATURAL = 4
    CORE_HAND = 3
    CORE_BITS = 15
    FULL_CORE = CORE_HOME | CORE_NATURAL | 2    # a core that may end
    NODE_BITS = 22                  # a node fits a memo's key
    SCRATCH = 2                     # fates at the front that are not remembered
    BY_WAY = 0                      # what a memo is about
    BY_TILES = 1
    BY_GROUPS = 2

cdef inline u64 demand(const Claim* claim) noexcept nogil:
    """What a claim asks, as a number: no larger for an easier one."""
    return (<u64> claim.count << 56 | <u64> claim.homeless << 48 | <u64> claim.value << 32
            | <u64> claim.asks_taken << 24 | <u64> claim.counted_jokers << 16 | <u64> claim.jokers << 8
            | <u64> (255 - claim.spare))


cdef bint claims_in_order(const Claim& a, const Claim& b) noexcept nogil:
    """Those that are easier come first."""
    cdef u64 x = demand(&a), y = demand(&b)
    return x < y if x != y else compare_claims(&a, &b) < 0


cdef inline u64 mark_of(const Claim* claim) noexcept nogil:
    """A set of bits, one for each token: those of an easier claim are among them."""
    cdef u64 mark = 0
    cdef int i
    for i in range(claim.count):
        mark |= <u64> 1 << (claim.token[i] * 0x9e3779b97f4a7c15ULL >> 58)
    return mark


cdef inline u64 mixed(u64 seed, u64 value) noexcept nogil:
    seed = (seed ^ value) * 0x9e3779b97f4a7c15ULL
    return seed ^ seed >> 32


cdef class Monitor:
    def __cinit__(self, Tally tally not None):
        self.tally = tally

    cdef void reset(self, Plan* plan) noexcept nogil:
        cdef const Problem* p = plan.problem
        cdef int i, k
        cdef u32 code
        self.clear()
        self.plan = plan
        self.rules = p.joker_rules
        self.part = self.tally.part
        self.hand_jokers = p.jokers - self.rules.table_jokers
        self.most_nodes = <size_t> 1 << min(NODE_BITS, 63 - tally_place(plan))
        self.watched = 0xffff if self.part or self.rules.cards else self.rules.group_cores
        memset(self.kept_runs, 0, sizeof(self.kept_runs))
        for i in range(self.rules.kept):
            code = self.rules.block[self.rules.kept_block[i]]
            if not is_group(code):
                self.kept_runs[set_colour(code)] |= 1 << set_number(code)
        self.nodes.resize(1)                # TRUE
        for i in range(self.rules.claims):
            for k in range(self.rules.claim[i].count):
                if token_kind(self.rules.claim[i].token[k]) == GROUP_ROLE:
                    self.watched |= 1 << (token_tile(self.rules.claim[i].token[k]) & 15)
                elif token_kind(self.rules.claim[i].token[k]) == KEPT_GROUP:
                    self.watched |= 1 << set_number(self.rules.block[token_block(self.rules.claim[i].token[k])])
            self.found.push_back(self.rules.claim[i])
        self.start = self.intern(0)
        for i in range(plan.layers):
            plan.layer[i].apart = self.watched >> plan.layer[i].number & 1

    cdef void clear(self) noexcept nogil:
        self.claims.clear()
        self.nodes.clear()
        self.node_slots.assign(256, 0)
        self.memos.assign(256, Memo(0, 0, 0))
        self.memo_count = 0
        self.overflown = False
        self.fates.resize(SCRATCH)
        self.picks.clear()
        self.found.clear()

    cdef bint is_full(self) noexcept nogil:
        return (self.overflown or self.claims.size() > MOST_CLAIMS or self.memo_count > MOST_MEMOS
                or self.nodes.size() > self.most_nodes)

    cdef bint accepts(self, u32 node, int jokers) noexcept nogil:
        """With `jokers` of the hand played. At the end every claim that asks nothing more has come true."""
        cdef const Node* at = &self.nodes[node]
        if node == TRUE:
            return True
        if not is_done(&self.claims[at.first]):
            return False
        if self.part:
            return self.tally.profile_accepts(at.profile, jokers)
        return self.claims[at.first].jokers <= jokers + self.plan.problem.must_jokers

    # ---- nodes

    cdef u32 intern(self, u32 profile) noexcept nogil:
        """The node of the claims in `found`, which it empties."""
        cdef size_t i, k, kept = 0
        cdef bint needed
        cdef u64 mark
        cdef Node node
        cdef u64 h = profile
        cdef u32 place
        cdef const u64* words
        if self.found.empty():
            return NO_NODE
        if self.found.size() > 1:
            sort(self.found.begin(), self.found.end(), &claims_in_order)
            self.marks.resize(self.found.size())
            for i in range(self.found.size()):
                mark = mark_of(&self.found[i])
                needed = True
                for k in range(kept):
                    if not self.marks[k] & ~mark and is_easier(&self.found[k], &self.found[i]):
                        needed = False
                        break
                if needed:
                    self.found[kept] = self.found[i]
                    self.marks[kept] = mark
                    kept += 1
            self.found.resize(kept)
        if (is_done(&self.found[0]) and self.found[0].jokers == 0 and self.rules.kept == 0
                and (not self.part or profile == REACHED)):
            self.found.clear()
            return TRUE
        for i in range(self.found.size()):
            words = <const u64*> &self.found[i]
            for k in range(sizeof(Claim) // 8):
                h = mixed(h, words[k])
        place = <u32> (h & (self.node_slots.size() - 1))
        while self.node_slots[place]:
            if self.is_node(self.node_slots[place] - 1, profile):
                self.found.clear()
                return self.node_slots[place] - 1
            place = (place + 1) & <u32> (self.node_slots.size() - 1)
        describe(self, &node)
        node.profile = profile
        node.hash = h
        node.first = <u32> self.claims.size()
        node.count = <u32> self.found.size()
        self.claims.insert(self.claims.end(), self.found.begin(), self.found.end())
        self.found.clear()
        self.nodes.push_back(node)
        self.node_slots[place] = <u32> self.nodes.size()
        if 2 * self.nodes.size() > self.node_slots.size():
            self.node_slots.assign(4 * self.node_slots.size(), 0)
            for i in range(1, self.nodes.size()):
                place = <u32> (self.nodes[i].hash & (self.node_slots.size() - 1))
                while self.node_slots[place]:
                    place = (place + 1) & <u32> (self.node_slots.size() - 1)
                self.node_slots[place] = <u32> i + 1
        return <u32> self.nodes.size() - 1

    cdef bint is_node(self, u32 node, u32 profile) noexcept nogil:
        """Are these the claims in `found`?"""
        cdef const Node* at = &self.nodes[node]
        cdef size_t i
        if at.count != self.found.size() or at.profile != profile:
            return False
        for i in range(self.found.size()):
            if compare_claims(&self.claims[at.first + i], &self.found[i]):
                return False
        return True

    cdef void emit(self, Claim* claim) noexcept nogil:
        """Add a claim to `found`, without the tokens that do not matter any more."""
        cdef int i, kind, token, kept = 0, kept_runs = 0
        cdef bint more_cores = claim.homeless and not self.rules.whole
        if waiting_cores(claim) > claim.homeless:
            return
        for i in range(4):
            kept_runs |= (self.kept_runs[i] >> (self.passed_number + (i <= self.passed_colour)) > 0) << i
        if claim.homeless == 0:
            claim.spare = 0
        for i in range(claim.count):
            if token_kind(claim.token[i]) == KEPT_RUN:
                kept_runs |= 1 << set_colour(self.rules.block[token_block(claim.token[i])])
        for i in range(claim.count):
            token = claim.token[i]
            kind = token_kind(token)
            if kind == CORE and (self.any_joker_counts() and not asks(claim) if self.rules.cards else
                                 not self.rules.whole and claim.homeless == 0 and is_full_core(token)):
                kind = TAKEN
                token = run_token(TAKEN, token_colour(token), token_entry(token), 0)
            if kind == TAKEN and not more_cores and not kept_runs >> token_colour(token) & 1:
                continue
            claim.token[kept] = token
            kept += 1
        for i in range(kept, MAX_TOKENS):
            claim.token[i] = 0
        claim.count = kept
        sort(&claim.token[0], &claim.token[kept])
        self.found.push_back(claim[0])

    # ---- memory of fates

    cdef Memo* memo(self, u64 key) noexcept nogil:
        """The entry of the key, or a free one."""
        cdef size_t mask = self.memos.size() - 1, place = (key * 0x9E3779B97F4A7C15ULL >> 24) & mask
        while self.memos[place].key and self.memos[place].key != key:
            place = (place + 1) & mask
        return &self.memos[place]

    cdef Fates remember(self, u64 key, int count) noexcept nogil:
        """Fates from node_of[0 .. count): those of one node together, in the order of their first pick."""
        cdef Memo* entry
        cdef vector[Memo] old
        cdef size_t i
        cdef u32 first = <u32> self.fates.size(), node
        cdef Fate fate
        cdef int k, later
        if 2 * self.memo_count > self.memos.size():
            old.swap(self.memos)
            self.memos.assign(4 * old.size(), Memo(0, 0, 0))
            for i in range(old.size()):
                if old[i].key:
                    self.memo(old[i].key)[0] = old[i]
        for k in range(count):
            node = self.node_of[k]
            if node == NO_NODE:
                continue
            fate = Fate(node, 0, <int> self.picks.size())
            for later in range(k, count):
                if self.node_of[later] == node:
                    fate.picks += 1
                    self.picks.push_back(later)
                    self.node_of[later] = NO_NODE
            if fate.picks == <u32> count:
                fate.first = ALL_PICKS
                self.picks.resize(self.picks.size() - count)
            self.fates.push_back(fate)
        entry = self.memo(key)
        entry[0] = Memo(key, first, <u32> self.fates.size() - first)
        self.memo_count += 1
        return Fates(first, entry.count)

    # ---- a colour's step

    cdef Fates step_fates(self, u32 node, const Layer* layer, const LiveStep* step, bint by_way) noexcept nogil:
        """`by_way`: it may matter which of the open runs gets what."""
        cdef int played = step.used - self.rules.table[layer.colour][layer.number], ways, k
        cdef u32 i, profile
        cdef u64 key = (<u64> node << 6 | <u64> (layer.number << 2 | layer.colour)) << 26
        cdef const Memo* known
        cdef Fates found
        cdef const Automata* a = self.plan.automata
        cdef const Way* way
        key |= <u64> step.step << 2 | BY_WAY if by_way else (played << 8 | step.g << 4 | step.b) << 2 | BY_TILES
        known = self.memo(key)
        if known.key:
            found = Fates(known.first, known.count)
            return found if by_way or not found.count else self.all_ways(found, step)
        profile = self.nodes[node].profile
        if self.part:
            profile = self.tally.profile_tiles(profile, layer, played)
        self.layer = layer
        self.passed_number = layer.number
        self.passed_colour = layer.colour
        self.given = step.g
        ways = step.ways if by_way else 1
        self.node_of.clear()
        way = a.ways + a.steps[step.step].way
        for k in range(ways):
            self.parts = way[k].parts if by_way else 0
            self.part_list = a.parts + way[k].part
            for i in range(self.nodes[node].count):
                self.advance(&self.claims[self.nodes[node].first + i], layer, played, step.b)
            self.node_of.push_back(self.intern(profile))
        found = self.remember(key, ways)
        return found if by_way or not found.count else self.all_ways(found, step)

    cdef Fates all_ways(self, Fates found, const LiveStep* step) noexcept nogil:
        self.fates[0] = Fate(self.fates[found.first].node, step.ways, ALL_PICKS)
        return Fates(0, 1)

    cdef void advance(self, const Claim* claim, const Layer* layer, int played, int jokers) noexcept nogil:
        """Add to `found` what a claim can become. `jokers` of the colour's runs lie at this number."""
        cdef Claim rest
        cdef u16 pending[MAX_TOKENS + MAX_COPIES]   # what some open run has to serve
        cdef int i, token, kind, count = 0, tile = layer.colour << 4 | layer.number
        rest = claim[0]
        rest.count = 0
        for i in range(claim.count):
            token = claim.token[i]
            kind = token_kind(token)
            if kind == SPENT and token_tile(token) == tile:
                played -= 1
            elif kind == ROLE and token_tile(token) == tile:
                jokers -= 1
            elif (kind >= SERVING and token_colour(token) == layer.colour
                    or kind == KEPT_RUN and self.begins_here(token_block(token))):
                pending[count] = token
                count += 1
            else:
                rest.token[rest.count] = token
                rest.count += 1
        if played < 0 or jokers < 0:
            return
        for i in range(self.rules.kept):
            if self.kept_runs[layer.colour] >> layer.number & 1 and self.begins_here(self.rules.kept_block[i]):
                pending[count] = block_token(KEPT_RUN, self.rules.kept_block[i])
                count += 1
        for i in range(self.parts):
            self.room[i] = self.part_list[i].copies
        self.serve(&rest, pending, count, played)

    cdef bint begins_here(self, int block) noexcept nogil:
        cdef u32 code = self.rules.block[block]
        return not is_group(code) and set_colour(code) == self.layer.colour and set_number(code) == self.layer.number

    cdef void serve(self, const Claim* claim, const u16* pending, int count, int budget) noexcept nogil:
        """Let an open run go on with each of the pending tokens. `budget`: hand tiles that nothing uses yet."""
        cdef int token, kind, i, n = self.layer.number, c = self.layer.colour, place, after
        cdef bint complete
        cdef u32 code
        cdef const Part* part
        if count == 0:
            self.begin_cores(claim, 0, budget)
            return
        token = pending[0]
        kind = token_kind(token)
        for i in range(self.parts):
            part = self.part_list + i
            if self.room[i] == 0 or kind != KEPT_RUN and part.source != token_entry(token):
                continue
            self.room[i] -= 1
            if kind == TAKEN:
                self.serve_next(claim, run_token(TAKEN, c, i, 0) if part.open else 0, pending, count, budget)
            elif kind == CORE:
                self.serve_core(claim, token & CORE_BITS, i, pending, count, budget)
            else:
                code = self.rules.block[token_block(token)]
                place = n - set_number(code)
                complete = place == set_length(code) - 1
                if set_detail(code) >> place & 1 == part.joker and (part.open or complete):
                    after = run_token(TAKEN if complete else SERVING, c, i, 0 if complete else token_block(token))
                    self.serve_next(claim, after if part.open else 0, pending, count, budget)
            self.room[i] += 1

    cdef void serve_next(self, const Claim* claim, int token, const u16* pending, int count,
                         int budget) noexcept nogil:
        """Go on behind the first of the pending tokens, which has become `token`; 0: nothing is left of it."""
        cdef Claim more = claim[0]
        if token:
            self.add(&more, token)
        self.serve(&more, pending + 1, count - 1, budget)

    cdef void serve_core(self, const Claim* claim, int core, int part, const u16* pending, int count,
                         int budget) noexcept nogil:
        """A run with a core gets its next tile: the core takes it in, or has ended before."""
        cdef const Part* p = self.part_list + part
        cdef Claim more
        cdef int c = self.layer.colour
        if self.rules.cards:
            more = claim[0]
            if self.count_card(&more, p.joker) and (p.open or not self.rules.one_set or not asks(&more)):
                self.serve_next(&more, run_token(COUNTED, c, part, CORE_HOME) if p.open else 0, pending, count, budget)
            return
        if core == FULL_CORE and not self.rules.whole:
            self.serve_next(claim, run_token(TAKEN, c, part, 0) if p.open else 0, pending, count, budget)
        if not p.joker:
            if budget:
                self.end_or_go_on(claim, with_hand_tile(core) | CORE_NATURAL, part, pending, count, budget - 1)
            return
        if claim.homeless:
            more = claim[0]
            more.homeless -= 1
            self.end_or_go_on(&more, core | CORE_HOME, part, pending, count, budget)
        if self.hand_jokers:
            self.end_or_go_on(claim, with_hand_tile(core), part, pending, count, budget)

    cdef void end_or_go_on(self, const Claim* claim, int core, int part, const u16* pending, int count,
                           int budget) noexcept nogil:
        if self.part_list[part].open:
            self.serve_next(claim, run_token(CORE, self.layer.colour, part, core), pending, count, budget)
        elif core == FULL_CORE:
            self.serve_next(claim, 0, pending, count, budget)

    cdef void begin_cores(self, const Claim* claim, int first, int budget) noexcept nogil:
        """The claim as it is, and with cores that begin in runs from the part `first` on."""
        cdef Claim more = claim[0]
        cdef const Part* part
        cdef int i, c = self.layer.colour, n = self.layer.number
        if self.rules.group_cores >> n & 1:
            more.spare |= min(budget, self.given) << 2 * c
        self.emit(&more)
        if self.rules.cards:
            self.begin_counted(claim, first)
            return
        if waiting_cores(claim) >= claim.homeless:
            return
        for i in range(first, self.parts):
            part = self.part_list + i
            if self.room[i] == 0 or not part.open or self.rules.whole and part.source != NEW_RUN:
                continue
            self.room[i] -= 1
            if not part.joker:
                if budget and self.rules.natural_cores[c] >> n & 1:
                    more = claim[0]
                    self.add(&more, run_token(CORE, c, i, CORE_NATURAL | 1))
                    self.begin_cores(&more, i, budget - 1)
            elif self.rules.joker_cores[c] >> n & 1:
                if self.hand_jokers:
                    more = claim[0]
                    self.add(&more, run_token(CORE, c, i, 1))
                    self.begin_cores(&more, i, budget)
                more = claim[0]
                self.add(&more, run_token(CORE, c, i, CORE_HOME))
                more.homeless -= 1
                self.begin_cores(&more, i, budget)
            self.room[i] += 1

    cdef void add(self, Claim* claim, int token) noexcept nogil:
        """Add a token, not in its order. Where there is no room the whole search has to end."""
        if claim.count == MAX_TOKENS:
            self.overflown = True
            return
        claim.token[claim.count] = token
        claim.count += 1

    # ---- sets made of hand cards, in the card game

    cdef void begin_counted(self, const Claim* claim, int first) noexcept nogil:
        """The claim with runs that begin here, from the part `first` on, counting for the value that is asked."""
        cdef Claim more
        cdef const Part* part
        cdef int i
        if not asks(claim) or self.rules.one_set and counts_already(claim):
            return
        for i in range(first, self.parts):
            part = self.part_list + i
            more = claim[0]
            if self.room[i] and part.open and part.source == NEW_RUN and self.count_card(&more, part.joker):
                self.room[i] -= 1
                self.add(&more, run_token(COUNTED, self.layer.colour, i, CORE_HOME))
                self.begin_cores(&more, i, 0)
                self.room[i] += 1

    cdef bint any_joker_counts(self) noexcept nogil:
        """May a set that counts take in any joker that there is? Else it has to be watched up to its end."""
        return self.rules.one_set or self.plan.problem.jokers <= self.rules.hand_jokers

    cdef bint count_card(self, Claim* claim, bint joker) noexcept nogil:
        """Count a card of a run; False where it may not be counted."""
        cdef int n = self.layer.number, worth = self.rules.worth[n]
        if joker:
            claim.counted_jokers += 1
            if not self.rules.one_set and claim.counted_jokers > self.rules.hand_jokers:
                return False
            if self.rules.joker_worth >= 0:
                worth = self.rules.joker_worth
        if self.rules.taken == (TAKEN_JOKER if joker else self.layer.colour << 4 | n):
            claim.asks_taken = 0
        claim.value -= min(worth, <int> claim.value)
        return True

    # ---- the groups of a number

    cdef Fates group_fates(self, u32 node, const Layer* layer, int tiles, int jokers) noexcept nogil:
        """What the groups of a number lead to that hold `jokers` jokers and of each colour `tiles`, 2 bits each.

        `layer`: the last of the number. Picks are places among the layouts (tables.pxd). Valid until the next call.
        """
        cdef int n = layer.number, count, k, pending_count
        cdef u32 i, g, profile
        cdef u16 pending[MAX_TOKENS + MAX_COPIES * MAX_COPIES]
        cdef u64 key = (<u64> node << 6 | <u64> (n << 2 | layer.colour)) << 26
        cdef const Memo* known
        cdef const Automata* a = self.plan.automata
        cdef Span layouts = layout_span(a, tiles, jokers)
        cdef Span layout
        cdef Claim rest
        if node == TRUE or not layouts.count:
            self.fates[1] = Fate(node, layouts.count, ALL_PICKS)
            return Fates(1, 1 if layouts.count else 0)
        key |= (tiles << 4 | jokers) << 2 | BY_GROUPS
        known = self.memo(key)
        if known.key:
            return Fates(known.first, known.count)
        profile = self.nodes[node].profile
        if self.part:
            profile = self.tally.profile_groups(profile, layer)
        count = layouts.count
        self.number = n
        self.passed_number = n
        self.passed_colour = layer.colour
        self.node_of.clear()
        for k in range(count):
            layout = a.layout[layouts.first + k]
            self.groups = layout.count
            for g in range(layout.count):
                self.group[g] = Group(a.group[layout.first + g] >> 4, a.group[layout.first + g] & 15)
            for i in range(self.nodes[node].count):
                rest = self.claims[self.nodes[node].first + i]
                pending_count = self.take_due(&rest, n, pending)
                self.serve_groups(&rest, pending, pending_count, 0)
            self.node_of.push_back(self.intern(profile))
        return self.remember(key, count)

    cdef int take_due(self, Claim* claim, int number, u16* pending) noexcept nogil:
        """Move what has to be found among the groups of a number from the claim to `pending`; returns how much."""
        cdef int i, token, kind, kept = 0, count = 0
        cdef u32 code
        for i in range(claim.count):
            token = claim.token[i]
            kind = token_kind(token)
            if (kind == GROUP_ROLE and token_tile(token) & 15 == number
                    or kind == KEPT_GROUP and set_number(self.rules.block[token_block(token)]) == number):
                pending[count] = token
                count += 1
            else:
                claim.token[kept] = token
                kept += 1
        claim.count = kept
        for i in range(self.rules.kept):
            code = self.rules.block[self.rules.kept_block[i]]
            if is_group(code) and set_number(code) == number:
                pending[count] = block_token(KEPT_GROUP, self.rules.kept_block[i])
                count += 1
        return count

    cdef void serve_groups(self, const Claim* claim, const u16* pending, int count, int group) noexcept nogil:
        """Let the groups from `group` on serve what is pending, each one thing at most; all of it has to be served."""
        cdef Claim done
        cdef u16 left[MAX_TOKENS]
        cdef const Group* g = &self.group[group]
        cdef u32 detail
        cdef int i
        if group == self.groups:
            if count == 0:
                done = claim[0]
                done.spare = 0
                self.emit(&done)
            return
        self.serve_groups(claim, pending, count, group + 1)
        if self.rules.cards:
            self.count_group(claim, pending, count, group)
        elif g.jokers == 0:
            return
        for i in range(count):
            if token_kind(pending[i]) != KEPT_GROUP or i and pending[i] == pending[i - 1]:
                continue
            detail = set_detail(self.rules.block[token_block(pending[i])])
            if not detail >> 4 & ~g.colours and <int> (detail & 15) <= g.jokers:
                without(pending, count, i, left)
                self.serve_groups(claim, left, count - 1, group + 1)
        self.fill_roles(claim, pending, count, group, 15 & ~g.colours, g.jokers)
        if claim.homeless:
            self.lay_core(claim, pending, count, group)

    cdef void count_group(self, const Claim* claim, const u16* pending, int count, int group) noexcept nogil:
        """Let a group count for the value that is asked: it is made of hand cards."""
        cdef const Group* g = &self.group[group]
        cdef Claim more = claim[0]
        cdef int worth = self.rules.worth[self.number], c
        if not asks(claim) or self.rules.one_set and counts_already(claim):
            return
        more.counted_jokers += g.jokers
        if not self.rules.one_set and more.counted_jokers > self.rules.hand_jokers:
            return
        if self.rules.taken == TAKEN_JOKER and g.jokers:
            more.asks_taken = 0
        for c in range(4):
            if g.colours >> c & 1 and self.rules.taken == (c << 4 | self.number):
                more.asks_taken = 0
        worth = popcount(g.colours) * worth + g.jokers * (worth if self.rules.joker_worth < 0
                                                          else self.rules.joker_worth)
        more.value -= min(worth, <int> more.value)
        if not self.rules.one_set or not asks(&more):
            self.serve_groups(&more, pending, count, group + 1)

    cdef void fill_roles(self, const Claim* claim, const u16* pending, int count, int group, int colours,
                         int jokers) noexcept nogil:
        """Let jokers of a group stand for different ones of `colours` that roles ask for."""
        cdef u16 left[MAX_TOKENS]
        cdef int i, c
        if jokers == 0:
            return
        for i in range(count):
            if token_kind(pending[i]) != GROUP_ROLE or i and pending[i] == pending[i - 1]:
                continue
            for c in range(4):
                if colours >> c & 1 and token_tile(pending[i]) >> 4 >> c & 1:
                    without(pending, count, i, left)
                    self.serve_groups(claim, left, count - 1, group + 1)
                    self.fill_roles(claim, left, count - 1, group, colours & ~(1 << c), jokers - 1)

    cdef void lay_core(self, const Claim* claim, const u16* pending, int count, int group) noexcept nogil:
        """Let a group be the home of retrieved jokers: with hand tiles, two or more together with hand jokers."""
        cdef const Group* g = &self.group[group]
        cdef Claim more
        cdef int retrieved, from_hand, colours, c, least
        for retrieved in range(1, min(<int> claim.homeless, g.jokers) + 1):
            from_hand = min(g.jokers - retrieved, self.hand_jokers)
            least = max(1, 2 - from_hand)
            for colours in range(1, 16):
                if colours & ~g.colours or popcount(colours) < least:
                    continue
                if self.rules.whole:
                    if colours != g.colours:
                        continue
                elif popcount(colours) > least:
                    continue
                more = claim[0]
                more.homeless -= retrieved
                for c in range(4):
                    if colours >> c & 1:
                        if not more.spare >> 2 * c & 3:
                            break
                        more.spare -= 1 << 2 * c
                else:
                    self.serve_groups(&more, pending, count, group + 1)


cdef inline bint asks(const Claim* claim) noexcept nogil:
    """Have hand-made sets still to be worth something, or to hold the card taken?"""
    return claim.value or claim.asks_taken


cdef inline bint counts_already(const Claim* claim) noexcept nogil:
    cdef int i
    for i in range(claim.count):
        if token_kind(claim.token[i]) == COUNTED:
            return True
    return False


cdef inline bint is_full_core(int token) noexcept nogil:
    return token & CORE_BITS == FULL_CORE


cdef inline int waiting_cores(const Claim* claim) noexcept nogil:
    """How many cores have no retrieved joker yet."""
    cdef int i, count = 0
    for i in range(claim.count):
        count += token_kind(claim.token[i]) == CORE and not claim.token[i] & CORE_HOME
    return count


cdef inline int with_hand_tile(int core) noexcept nogil:
    return core if core & CORE_HAND == 2 else core + 1


cdef inline void without(const u16* tokens, int count, int place, u16* left) noexcept nogil:
    cdef int i
    for i in range(count - 1):
        left[i] = tokens[i if i < place else i + 1]


cdef void describe(Monitor self, Node* node) noexcept nogil:
    """Work out what is asked where by the claims in `found`."""
    cdef const Claim* claim
    cdef size_t i
    cdef int k, token, kind, jokers, least = 255
    cdef u32 code
    memset(node, 0, sizeof(Node))
    for k in range(4):
        node.runs[k] = self.kept_runs[k]
    for i in range(self.found.size()):
        claim = &self.found[i]
        jokers = claim.homeless
        node.homeless = node.homeless or claim.homeless > 0
        node.counts = node.counts or asks(claim)
        for k in range(claim.count):
            token = claim.token[k]
            kind = token_kind(token)
            if kind == SPENT or kind == ROLE:
                node.tiles[token_tile(token) >> 4] |= 1 << (token_tile(token) & 15)
                jokers += kind == ROLE
            elif kind == GROUP_ROLE:
                node.groups |= 1 << (token_tile(token) & 15)
                jokers += 1
            elif kind == KEPT_RUN or kind == KEPT_GROUP:
                code = self.rules.block[token_block(token)]
                jokers += set_jokers(code)
                if kind == KEPT_RUN:
                    node.runs[set_colour(code)] |= 1 << set_number(code)
                else:
                    node.groups |= 1 << set_number(code)
            else:
                node.open |= 1 << token_colour(token)
        least = min(least, jokers)
    node.jokers = least
