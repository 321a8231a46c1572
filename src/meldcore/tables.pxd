"""The automata that every search walks: one for the open runs of a colour, one for the groups of a number.

They depend on the edition and on how many jokers a problem holds, not on its tiles, and are built once.

Runs end eagerly (DESIGN: a run that is open MUST get a tile at the next number; when a tile is laid it is decided
whether it is the run's last). Open runs that look the same to the rest of the search, and are the same, count as copies
of one; open runs that look the same but differ (other start, other jokers) stay apart.

state   what a colour carries from one number to the next: how many copies of each different open run, by kind
shape   the same with the identity of runs forgotten: how many open runs of each kind. Enough to optimise
"""

from libcpp.vector cimport vector

from meldcore.bits cimport i8, u16, u32, u64, u8

cdef enum:
    MAX_COPIES = 3
    MAX_JOKERS = 4
    MAX_STATES = 512        # 3 copies and 4 jokers with a limit of jokers a set come to more than 300
    MAX_CLASSES = 32        # of groups, with 3 copies and 4 jokers
    SHAPE_BITS = 9          # of the largest automata
    MAX_SHAPES = 1 << SHAPE_BITS
    MASKABLE = 64           # automata up to this size are also kept as bit masks
    NEW_RUN = 255

cdef struct Span:           # a stretch of one of the pools below
    u32 first
    u32 count

cdef struct Step:           # all ways for a colour to get from one state to another at one number
    u16 ways                # how many
    u16 to                  # the state afterwards
    u8 r                    # tiles to runs
    u8 g                    # tiles to groups
    u8 b                    # jokers to runs
    u32 way                 # the first of the ways

cdef struct Way:            # what each open run gets; the parts that stay open come first, in the new state's order
    u32 part
    u32 parts

cdef struct Part:
    u8 source               # place among the runs of the old state, or NEW_RUN
    u8 copies               # how many of them do this
    u8 joker                # they get a joker, else a natural tile
    u8 open                 # they go on, else this tile was the last

cdef struct Choice:         # a step seen by shapes
    u16 to
    u8 r
    u8 g
    u8 b

cdef struct Groups:         # reads how many tiles each colour gives to the groups of one number
    u8 classes[5]                           # classes before colour 0, 1, 2, 3 and at the end
    i8 next[4][MAX_CLASSES][MAX_COPIES + 1]     # [colour][class][tiles] -> class, -1: no groups can do that
    u16 ways[MAX_CLASSES][MAX_JOKERS + 1]   # [class at the end][jokers] -> multisets of groups
    u64 alive[3]                            # [colour] set of what it and those before may have given, 2 bits each
    u32 most_ways                           # the most that one class at the end has over all jokers

cdef struct Automata:       # plain pointers into a Tables object, for code that runs without the GIL
    int colours
    int copies
    int jokers
    int states
    int shapes
    int most_steps              # of any state
    const u16* shape_of         # [state]
    const Span* step_spans      # see step_span
    const Step* steps           # of a span: fewest jokers first, then in the order of choices
    const Way* ways
    const Part* parts
    const Span* choice_spans    # see choice_span
    const Choice* choices
    const u64* successors       # states after [state][set of r][jokers], see mask_place; NULL above MASKABLE states
    const u64* predecessors     # states before, likewise
    const u8* next_sets         # [set of r][set of states] -> states after it without jokers; NULL above 8 states
    const u8* previous_sets     # states before, likewise
    u8 r_sets[256]              # see r_set
    const Groups* groups        # [vector], see the vector of most tiles by colour
    const u16* givable          # [vector] -> set of g that occur in some multiset of groups, 4 bits a colour
    const Groups* plain_groups  # the same without jokers
    const u16* plain_givable
    const Span* layouts         # [tiles by colour, 2 bits each][jokers] -> multisets of groups, in order
    const Span* layout          # one multiset of groups
    const u8* group             # colours << 4 | jokers


cdef inline Span step_span(const Automata* a, int must, int most, int given, int state) noexcept nogil:
    """The steps of a state where `must` of `most` tiles have to be used and at most `given` may go to groups."""
    return a.step_spans[(((must << 2) | most) << 2 | given) * a.states + state]


cdef inline Span choice_span(const Automata* a, int must, int most, int shape) noexcept nogil:
    return a.choice_spans[((must << 2) | most) * a.shapes + shape]


cdef inline Span layout_span(const Automata* a, int tiles, int jokers) noexcept nogil:
    return a.layouts[tiles * (MAX_JOKERS + 1) + jokers]


cdef inline int mask_place(const Automata* a, int state, int r_set, int b) noexcept nogil:
    return (r_set * (a.jokers + 1) + b) * a.states + state


cdef inline int r_set(const Automata* a, int must, int most, int gives) noexcept nogil:
    """The set of r with must <= r + g <= most for some g in the set `gives`."""
    return a.r_sets[must << 6 | most << 4 | gives]


cdef class Tables:
    cdef Automata automata
    cdef readonly int colours, copies, jokers
    cdef readonly object max_jokers_per_set
    cdef vector[u8] group, next_sets, previous_sets
    cdef vector[u16] shape_of, givable, plain_givable
    cdef vector[Span] step_spans, choice_spans, layouts, layout
    cdef vector[Step] steps
    cdef vector[Way] ways
    cdef vector[Part] parts
    cdef vector[Choice] choices
    cdef vector[u64] successors, predecessors
    cdef vector[Groups] groups, plain_groups


cpdef Tables tables_for(int colours, int copies, int jokers, object max_jokers_per_set)
