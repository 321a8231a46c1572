"""Carrying out steps of a sweep: open runs grow, finished sets are written down."""

from meldcore.bits cimport u8, u32
from meldcore.sets cimport LENGTH_BIT, group_code, run_code, set_length
from meldcore.tables cimport NEW_RUN, Automata, Part, Span, Way, layout_span

cdef enum:
    MAX_OPEN = 16           # different open runs of a colour

cdef struct OpenRun:
    u32 code                # the set so far (sets.pxd)
    u32 copies


cdef inline int take_way(const Automata* a, const Way* way, int colour, int number, const OpenRun* before,
                         OpenRun* after, int* open_runs, u32* codes, int count) noexcept nogil:
    """The runs `before` get what the way says, and become `after`; those that end are added to `codes`.

    Returns how many sets there are now.
    """
    cdef const Part* part
    cdef u32 i, code
    cdef int _copy, runs = 0
    for i in range(way.parts):
        part = a.parts + way.part + i
        if part.source == NEW_RUN:
            code = run_code(colour, number, 1, part.joker)
        else:
            code = before[part.source].code
            code = (code + (1u << LENGTH_BIT)) | <u32> part.joker << set_length(code)
        if part.open:
            after[runs] = OpenRun(code, part.copies)
            runs += 1
        else:
            for _copy in range(part.copies):
                codes[count] = code
                count += 1
    open_runs[0] = runs
    return count


cdef inline int lay_groups(const Automata* a, int number, int tiles, int jokers, u32 layout, u32* codes,
                           int count) noexcept nogil:
    """Add one layout of the groups of a number to `codes`, as take_way. `tiles`: by colour, 2 bits each."""
    cdef Span groups = a.layout[layout_span(a, tiles, jokers).first + layout]
    cdef u32 i
    cdef u8 group
    for i in range(groups.count):
        group = a.group[groups.first + i]
        codes[count] = group_code(number, group >> 4, group & 15)
        count += 1
    return count
