"""Preparation of one problem: what each colour alone can still do, and the layers where anything can happen.

Exact, not a relaxation within a colour: a state is live after number n when the colour can reach it and can finish from
it, groups allowed whatever they could take of that colour. All it costs in jokers is known too:

need    least jokers with which the colour gets from a state after number n to the end
spent   least jokers used on the way there plus need, beyond what the colour takes anyway
slack   jokers left when every colour has what it needs; it never rises along a sweep, below 0 is dead

A tile that fits nowhere falls out by itself: its colour stays in state 0 there and it may give nothing to groups.
"""

from meldcore.bits cimport i8, u16, u32, u64, u8
from meldcore.problem cimport Problem
from meldcore.tables cimport Automata, Groups, MAX_COPIES, Span

cdef enum:
    DEAD = 255
    UNKNOWN = 0xffffffffu
    MAX_LAYERS = 60

cdef struct LiveStep:                   # a step whose end is live and that the jokers can pay for
    u64 change                          # what it adds to a frontier key: the state, and the cost off the slack
    u32 step                            # its place among all steps of the automata
    u16 ways
    u16 to
    u8 cost                             # what it takes from the slack
    u8 b                                # as in Step
    u8 g
    u8 used                             # tiles in all, r + g

cdef struct Layer:                      # one colour at one number
    u8 number
    u8 colour
    u8 value                            # of its tiles, in points
    u8 must
    u8 most
    u8 shift                            # of the colour's state in a frontier key
    bint last                           # the last colour of its number: groups are settled here
    const Groups* groups
    const i8 (*next)[MAX_COPIES + 1]    # groups.next of this colour
    bint too_late                       # a path that has laid nothing behind it will not either, and has to
    bint apart                          # groups of equal numbers are told apart: see next_class
    u32 steps                           # its place in Plan.spans

cdef struct Plan:
    const Problem* problem
    const Automata* automata
    int stride                          # states, rounded up
    int slack                           # at the start
    int state_bits
    int layers
    Layer layer[MAX_LAYERS]
    u8 gives[4][16]                     # [colour][number] set of g that a colour may give to groups
    int vector[16]                      # [number] most g by colour, as the index of Automata.groups
    const Groups* groups[16]
    u8 fewest[4][16]                    # [colour][number] jokers that have to lie in the runs, and that may
    u8 most[4][16]
    u16 live[4][16]                     # [colour][number] how many states are live after it
    bint idle[4][16]                    # nothing but state 0 before and after, and nothing to place
    u8* need                            # [colour][number][state]
    u8* spent
    size_t room                         # bytes behind `need` and `spent`
    LiveStep* steps                     # of the layers and states that were asked for, each in the order of choices
    Span* spans                         # [Layer.steps + state] -> its steps; count is UNKNOWN before they are asked for
    u32 step_count
    u32 span_count
    size_t step_room
    size_t span_room


# A frontier, all that the rest of a sweep needs to know, is packed into 64 bits: the states of the four colours, slack
# (3 bits), the class of the groups under way (6 bits), then at least 19 bits for what a sweep tracks beside (see
# tally.pxd and monitor.pxd).
cdef enum:
    SLACK_BITS = 3
    CLASS_BITS = 6

cdef inline int tally_place(const Plan* plan) noexcept nogil:
    return 4 * plan.state_bits + SLACK_BITS + CLASS_BITS

cdef inline int slack_of(const Plan* plan, u64 key) noexcept nogil:
    return key >> 4 * plan.state_bits & ((1 << SLACK_BITS) - 1)

cdef inline int state_of(const Plan* plan, u64 key, int colour) noexcept nogil:
    return key >> colour * plan.state_bits & ((1 << plan.state_bits) - 1)

cdef struct Frontier:                   # a key before a layer, taken apart
    int state                           # of the layer's colour
    int slack
    int cls                             # of the groups
    u64 rest                            # the other colours' states, and the slack, as in the key
    u64 tally

cdef inline Frontier frontier_of(const Plan* plan, const Layer* layer, u64 key) noexcept nogil:
    cdef int class_at = 4 * plan.state_bits + SLACK_BITS
    cdef u64 state_mask = (<u64> 1 << plan.state_bits) - 1
    return Frontier(key >> layer.shift & state_mask, slack_of(plan, key), key >> class_at & ((1 << CLASS_BITS) - 1),
                    key & ((<u64> 1 << class_at) - 1) & ~(state_mask << layer.shift), key >> (class_at + CLASS_BITS))

cdef inline int next_class(const Layer* layer, int cls, int given) noexcept nogil:
    """The class of the groups when the colour gives so many tiles, -1 where no groups can do that.

    Where groups are told apart it is what each colour gives, 2 bits each, and after the last colour 0.
    """
    if not layer.apart:
        return layer.next[cls][given]
    if layer.last:
        return 0
    cls |= given << 2 * layer.colour
    return cls if layer.groups.alive[layer.colour] >> cls & 1 else -1

cdef inline u8* states_at(u8* table, const Plan* plan, int colour, int number) noexcept nogil:
    return table + (colour * 16 + number) * plan.stride

cdef inline int jokers_left(const Plan* plan, u64 key, int number, int passed) noexcept nogil:
    """The jokers that a frontier has left when `passed` colours are behind this number, the others before it."""
    cdef int c, left = slack_of(plan, key)
    for c in range(4):
        left += states_at(plan.need, plan, c, number if c < passed else number - 1)[state_of(plan, key, c)]
    return left

# About how many frontiers there are at the fullest number, by the live states of the colours.
cdef double most_frontiers(const Plan* plan) noexcept nogil

cdef void init_plan(Plan* plan) noexcept nogil
cdef void free_plan(Plan* plan) noexcept nogil

cdef inline bint same_choice(const Automata* a, const LiveStep* x, const LiveStep* y) noexcept nogil:
    return x.used == y.used and x.g == y.g and x.b == y.b and a.shape_of[x.to] == a.shape_of[y.to]

# Find the live steps of a state that is live before the layer.
cdef bint find_steps(Plan* plan, const Layer* layer, int state) except -1 nogil

cdef inline const LiveStep* steps_of(Plan* plan, const Layer* layer, int state) except NULL nogil:
    """The steps of a state that is live before the layer. Valid until the next call."""
    if plan.spans[layer.steps + state].count == <u32> UNKNOWN:
        find_steps(plan, layer, state)
    return plan.steps + plan.spans[layer.steps + state].first

cdef inline const LiveStep* steps_end(const Plan* plan, const Layer* layer, int state) noexcept nogil:
    """The end of what steps_of has returned."""
    cdef Span span = plan.spans[layer.steps + state]
    return plan.steps + span.first + span.count

cdef inline bint is_live(const Plan* plan, int colour, int number, int state) noexcept nogil:
    return plan.need[(colour * 16 + number) * plan.stride + state] != DEAD

cdef inline bint is_quiet(const Plan* plan, int colour, int number, const Groups* groups, int place) noexcept nogil:
    """Can nothing happen to a colour at a number, nor to the groups that are read there? `place`: see fill_layer."""
    if not plan.idle[colour][number] or groups.classes[place] != 1:
        return False
    return plan.vector[number] == 0 if place == 3 else groups.classes[place + 1] == 1

# Describe a colour at a number; `place` is the colour's turn within the number, `groups` reads them in that order.
cdef bint fill_layer(Plan* plan, Layer* layer, int colour, int number, const Groups* groups, int place) except -1 nogil

# False when some colour cannot be finished: no arrangement exists. The problem has to outlive the plan.
cdef bint prepare(const Problem* problem, const Automata* automata, Plan* plan) except -1 nogil
