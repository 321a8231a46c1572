"""All arrangements that solve a problem, as a decision diagram: counted, numbered, never listed."""

from meldcore.bits cimport i64, u8, u16, u32, u64, u128
from meldcore.branches cimport Detail, detail_of, is_detailed, step_in
from meldcore.laying cimport MAX_OPEN, OpenRun
from meldcore.objective cimport Objective
from meldcore.plan cimport MAX_LAYERS
from meldcore.problem cimport MAX_SETS, Problem
from meldcore.tables cimport Automata, Groups, Step, Tables

cdef enum:
    DIAGRAM_BYTES = 400 << 20

cdef struct Edge:
    u32 to                  # node, numbered through all layers
    u32 what                # see branches.pxd

cdef struct DiagramLayer:
    u8 number
    u8 colour
    u8 must
    bint last               # the last colour of its number: its edges settle the groups
    int previous            # layer of the same colour before this one, -1: there is none
    const Groups* groups

cdef struct Graph:
    const Automata* automata
    int layers
    DiagramLayer layer[MAX_LAYERS]
    u32 base[MAX_LAYERS + 2]    # [layer] -> its first node; the end counts as a layer
    u32* first                  # [node] -> its first edge; one more at the end. The top is node 0.
    Edge* edges
    u128* below                 # [node] -> arrangements from here on
    u128 count
    Detail* details             # under joker rules
    u16* picks                  # of the details


cdef inline const Step* edge_step(const Graph* d, const Edge* edge) noexcept nogil:
    return d.automata.steps + step_in(edge.what, d.details)


cdef inline u32 edge_layouts(const Graph* d, const DiagramLayer* layer, const Edge* edge) noexcept nogil:
    """How many layouts of groups the edge stands for."""
    if is_detailed(edge.what):
        return detail_of(edge.what, d.details).layouts
    return layer.groups.ways[edge.what & 31][edge.what >> 5 & 7] if layer.last else 1


cdef inline u32 edge_details(const Graph* d, const DiagramLayer* layer, const Edge* edge) noexcept nogil:
    """How many ways the edge stands for: of the runs times, on the last colour of a number, of the groups."""
    if is_detailed(edge.what):
        return detail_of(edge.what, d.details).ways * edge_layouts(d, layer, edge)
    return edge_step(d, edge).ways * edge_layouts(d, layer, edge)

cdef class Diagram:
    """A layered graph: a node is a frontier, an edge a step of one colour at one number, a path an arrangement.

    Only nodes that can finish have edges into them. An edge stands for all ways to do its step (which of several open
    runs gets what, how the groups are made): its details, numbered from 0. Arrangements are ordered by the first layer
    where they differ, there by edge, then by detail.
    """
    cdef Tables tables
    cdef Problem problem
    cdef Graph graph
    cdef readonly size_t nodes
    cdef readonly size_t bytes

    cdef u64 edges(self) noexcept
    # The rank of the first arrangement that gains the most, None where there is none.
    cdef object best_rank(self, const Objective* objective)


cdef struct Place:          # where a walk stands in one layer
    u32 node
    u32 edge
    u32 detail              # which way, and which layout of the groups
    u32 details
    int sets                # finished sets, afterwards
    int runs
    u8 given                # tiles of the colour to groups
    OpenRun run[MAX_OPEN]

cdef class Walk:
    """An arrangement of a diagram under construction: a path from the top, and the sets that it has made so far."""
    cdef Diagram diagram        # keeps the graph alive
    cdef const Graph* graph
    cdef Place place[MAX_LAYERS]
    cdef u32 sets[MAX_SETS]
    cdef int count          # sets, when the walk is complete

    # To the arrangement with this rank, 0 <= rank < count.
    cdef void seek(self, u128 rank) noexcept nogil
    # To the one after; False where there is none.
    cdef bint advance(self) noexcept nogil
    # To the arrangement that consists of these sets, in any order; False where the diagram has none such.
    cdef bint find(self, const u32* codes, int count, u128* rank) noexcept nogil

    cdef void take(self, int layer) noexcept nogil
    cdef void descend(self, int layer) noexcept nogil
    cdef int given_tiles(self, int layer) noexcept nogil
    cdef bint may_lead(self, int layer, const Edge* edge, const u32* codes, int count) noexcept nogil
    cdef bint matches(self, int layer, const u32* codes, int count) noexcept nogil


# With an objective: only the arrangements that gain the most; none of those costs more than `ceiling` (see Bounds),
# where that is known. TooLarge where it would take more than DIAGRAM_BYTES, or there are 2**128 arrangements or more.
cdef Diagram build_diagram(const Problem* problem, Tables tables, const Objective* objective=*, i64 ceiling=*)

# As best_arrangement (best.pxd), for any problem without a threshold.
cdef int best_of(const Problem* problem, Tables tables, const Objective* objective, u32* codes) except -2
