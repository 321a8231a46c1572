"""Which claims (claims.pxd) can still come true, followed along a sweep.

A node is a set of claims, none easier than another, numbered as it comes up; the number is part of a frontier's key
(tally.pxd). It is a function of the arrangement built so far and never a guess, so each arrangement stays one path:
where one way to do a step lets other claims come true than another way, the step has several fates.

Node 0 is the claim that came true: the rest of the sweep is free. No fate leads to a set of no claims.
"""

from libcpp.vector cimport vector

from meldcore.bits cimport u8, u16, u32, u64
from meldcore.claims cimport Claim, JokerRules
from meldcore.plan cimport Layer, LiveStep, Plan, jokers_left, slack_of
from meldcore.tables cimport MAX_COPIES, Automata, Part
from meldcore.tally cimport Tally

cdef enum:
    TRUE = 0                # the node of the claim that came true
    NO_NODE = 0x7fffffff    # of no claims
    ALL_PICKS = -1

cdef struct Node:
    u32 first           # of its claims
    u32 count
    u64 hash
    u32 profile         # see tally.pxd, where some part of the tiles played has to be worth the threshold
    u8 jokers           # least that its claims still need
    u8 open             # set of colours whose open runs serve something
    bint homeless       # some claim has retrieved jokers without a home
    bint counts         # some claim asks for the value of hand-made sets
    u16 tiles[4]        # set of numbers at which a claim asks something of the tiles of a colour
    u16 runs[4]         # set of numbers at which a kept run begins
    u16 groups          # set of numbers at which a claim asks something of the groups

cdef struct Fate:
    u32 node
    u32 picks           # how many of the step's ways, or of the layouts of the groups
    int first           # of them in Monitor.picks; ALL_PICKS: all there are

cdef struct Fates:      # a stretch of Monitor.fates
    u32 first
    u32 count

cdef struct Memo:           # the fates behind a node and a step
    u64 key
    u32 first
    u32 count

cdef struct Group:          # of one number
    int colours
    int jokers

cdef class Monitor:
    cdef Plan* plan
    cdef const JokerRules* rules
    cdef Tally tally
    cdef bint part                  # Tally.part
    cdef u32 start
    cdef u16 watched                # set of numbers whose groups matter to some claim
    cdef int hand_jokers
    cdef u16 kept_runs[4]           # [colour] set of numbers where runs begin that every claim keeps

    cdef vector[Claim] claims
    cdef vector[Node] nodes
    cdef vector[u32] node_slots     # open addressing: node + 1
    cdef vector[Memo] memos         # open addressing; key 0: free
    cdef size_t memo_count
    cdef vector[Fate] fates
    cdef vector[u16] picks
    cdef size_t most_nodes
    cdef bint overflown             # a claim had more tokens than there is room

    # A step under examination.
    cdef const Layer* layer
    cdef const Part* part_list
    cdef int parts
    cdef int room[16]               # [part] runs that do this and serve nothing yet
    cdef int given                  # tiles to groups
    cdef int number                 # of the groups
    cdef int passed_number          # the number under examination: runs that begin before it have begun,
    cdef int passed_colour          # and those that begin with it, up to this colour
    cdef Group group[16]            # those of a number under examination
    cdef int groups
    cdef vector[Claim] found
    cdef vector[u64] marks          # of those in `found` that are needed: see mark_of
    cdef vector[u32] node_of        # [way or layout] -> node or NO_NODE

    # Follow the claims of the plan's problem; its layers learn which groups have to be told apart. The tally is reset
    # before.
    cdef void reset(self, Plan* plan) noexcept nogil
    cdef void clear(self) noexcept nogil
    # Do the nodes take all the memory that they may, or is there no room for their numbers? Sweeps have to end then.
    cdef bint is_full(self) noexcept nogil
    cdef bint accepts(self, u32 node, int jokers) noexcept nogil

    cdef bint is_node(self, u32 node, u32 profile) noexcept nogil
    cdef u32 intern(self, u32 profile) noexcept nogil
    cdef void emit(self, Claim* claim) noexcept nogil
    cdef Memo* memo(self, u64 key) noexcept nogil
    cdef Fates remember(self, u64 key, int count) noexcept nogil
    cdef Fates step_fates(self, u32 node, const Layer* layer, const LiveStep* step, bint by_way) noexcept nogil
    cdef Fates all_ways(self, Fates found, const LiveStep* step) noexcept nogil
    cdef bint begins_here(self, int block) noexcept nogil
    cdef void serve_next(self, const Claim* claim, int token, const u16* pending, int count, int budget) noexcept nogil
    cdef void serve_core(self, const Claim* claim, int core, int part, const u16* pending, int count,
                         int budget) noexcept nogil
    cdef void end_or_go_on(self, const Claim* claim, int core, int part, const u16* pending, int count,
                           int budget) noexcept nogil
    cdef void advance(self, const Claim* claim, const Layer* layer, int played, int jokers) noexcept nogil
    cdef void serve(self, const Claim* claim, const u16* pending, int count, int budget) noexcept nogil
    cdef void add(self, Claim* claim, int token) noexcept nogil
    cdef void begin_counted(self, const Claim* claim, int first) noexcept nogil
    cdef bint any_joker_counts(self) noexcept nogil
    cdef bint count_card(self, Claim* claim, bint joker) noexcept nogil
    cdef void count_group(self, const Claim* claim, const u16* pending, int count, int group) noexcept nogil
    cdef void begin_cores(self, const Claim* claim, int part, int budget) noexcept nogil
    cdef Fates group_fates(self, u32 node, const Layer* layer, int tiles, int jokers) noexcept nogil
    cdef int take_due(self, Claim* claim, int number, u16* pending) noexcept nogil
    cdef void serve_groups(self, const Claim* claim, const u16* pending, int count, int group) noexcept nogil
    cdef void fill_roles(self, const Claim* claim, const u16* pending, int count, int group, int colours,
                         int jokers) noexcept nogil
    cdef void lay_core(self, const Claim* claim, const u16* pending, int count, int group) noexcept nogil


cdef inline Fates fates_of_step(Monitor self, u32 node, const Layer* layer, const LiveStep* step) noexcept nogil:
    """What a step of a colour leads to, valid until the next call."""
    cdef const Node* at
    cdef int c = layer.colour, n = layer.number
    cdef bint by_way
    if node != TRUE:
        at = &self.nodes[node]
        by_way = at.open >> c & 1 or at.runs[c] >> n & 1
        if at.counts:
            by_way = True
        if at.homeless and not by_way:
            by_way = ((step.used > self.rules.table[c][n] and self.rules.natural_cores[c] >> n & 1)
                      or (step.b and self.rules.joker_cores[c] >> n & 1))
        if by_way or at.tiles[c] >> n & 1 or self.part or (
                at.homeless and step.g and step.used > self.rules.table[c][n] and self.rules.group_cores >> n & 1):
            return self.step_fates(node, layer, step, by_way)
    self.fates[0] = Fate(node, step.ways, ALL_PICKS)
    return Fates(0, 1)


cdef inline Fates fates_of_groups(Monitor self, u32 node, const Layer* layer, int cls, int given,
                                  int jokers) noexcept nogil:
    """What the groups of a number lead to, behind the step of its last colour that gives them `given` tiles."""
    if layer.apart:
        return self.group_fates(node, layer, cls | given << 6, jokers)
    self.fates[1] = Fate(node, layer.groups.ways[layer.next[cls][given]][jokers], ALL_PICKS)
    return Fates(1, self.fates[1].picks > 0)


cdef inline bint is_quiet_at(Monitor self, u32 node, const Layer* layer) noexcept nogil:
    """Does nothing at the layer, nor any group read there, tell the claims of the node apart?"""
    cdef const Node* at = &self.nodes[node]
    cdef int c = layer.colour, n = layer.number
    if layer.apart or self.part:
        return False
    return node == TRUE or not (at.homeless or at.counts or at.open >> c & 1 or (at.runs[c] | at.tiles[c]) >> n & 1)


cdef inline bint is_payable(Monitor self, u32 node, const Layer* layer, u64 key) noexcept nogil:
    """Are there as many jokers left as the claims need? `key`: after the layer."""
    cdef int jokers = self.nodes[node].jokers
    return (jokers <= slack_of(self.plan, key)
            or jokers <= jokers_left(self.plan, key, layer.number, layer.colour + 1))
