"""See changes.pxd.

How many old sets stand unchanged is no matter of frontiers: it depends on what the open runs are. But all that matters
of an open run is whether it is the beginning of an old run, and which. All copies of a set end at the same layer, where
they are compared. So the diagram is searched with these beginnings beside its nodes: depth first, in its order,
allowing one more changed set each time, so that the first arrangement met is the answer. An old run counts as changed
as soon as no open run is its beginning.
"""

from cython.operator cimport dereference
from libc.string cimport memcpy, memset
from libcpp.map cimport map
from libcpp.vector cimport vector

from meldcore.bits cimport u32
from meldcore.diagram cimport Diagram, DiagramLayer, Graph, Place, Walk, edge_details
from meldcore.outcome cimport DONE, STOPPED, TOO_LARGE, Outcome, raise_outcome
from meldcore.plan cimport MAX_LAYERS
from meldcore.sets cimport is_group, run_code, set_colour, set_detail, set_length, set_number
from meldcore.stop cimport StopPointer, is_due

cdef enum:
    MOST_KNOWN = 1500000        # about 200 MB
    FOUND = -1

ctypedef vector[u32] Key        # a node, what the colours gave to groups so far, and the open runs
ctypedef map[vector[u32], int] Known


cdef class Search:
    cdef Diagram diagram
    cdef const Graph* graph
    cdef Walk walk
    cdef const u32* old
    cdef int old_sets
    cdef int latest[MAX_LAYERS + 1][4]      # [layer][colour] the last layer of the colour before it, -1: none
    cdef vector[u32] ending[MAX_LAYERS]     # the old sets that end at a layer
    cdef vector[u32] begun[MAX_LAYERS]      # the old runs of its colour that go on behind it, as far as they are there
    cdef vector[Known] known                # [layer] how many old sets change at least from there on
    cdef size_t known_count
    cdef size_t steps
    cdef int allowed                        # changed sets
    cdef StopPointer stop
    cdef Outcome outcome

    def __cinit__(self, Diagram diagram not None):
        self.diagram = diagram
        self.graph = &diagram.graph
        self.walk = Walk(diagram)
        self.known.resize(diagram.graph.layers)

    cdef void prepare(self, const u32* old, int old_sets) noexcept nogil:
        cdef const DiagramLayer* at
        cdef int i, k, c, length
        cdef u32 code
        self.old = old
        self.old_sets = old_sets
        for c in range(4):
            self.latest[0][c] = -1
        for i in range(self.graph.layers):
            at = &self.graph.layer[i]
            for c in range(4):
                self.latest[i + 1][c] = i if c == at.colour else self.latest[i][c]
            for k in range(old_sets):
                code = old[k]
                length = at.number - set_number(code) + 1
                if is_group(code):
                    if at.last and length == 1:
                        self.ending[i].push_back(code)
                elif set_colour(code) == at.colour and length == set_length(code):
                    self.ending[i].push_back(code)
                elif set_colour(code) == at.colour and 0 < length < set_length(code):
                    self.begun[i].push_back(beginning(code, length))

    cdef int search_from(self, int layer, u32 node, int changed, const int* doomed) noexcept nogil:
        """Look for an arrangement below a node with no more changes than allowed, the walk having got there.

        `changed`: old sets that have changed for good; `doomed`: by colour, those under way that will. Returns FOUND
        with the walk there, or else how many sets change at least from here on, those under way included.
        """
        cdef Key key
        cdef Known.iterator found
        cdef int after[4]
        cdef int changes, rest, least = self.old_sets + 1
        cdef u32 e, detail
        if layer == self.graph.layers:
            self.walk.count = self.walk.place[layer - 1].sets if layer else 0
            return FOUND
        self.describe(layer, node, key)
        found = self.known[layer].find(key)
        if found != self.known[layer].end() and changed + dereference(found).second > self.allowed:
            return dereference(found).second
        self.steps += 1
        if self.steps & 255 == 0 and is_due(self.stop):
            self.outcome = STOPPED
        memcpy(after, doomed, sizeof(after))
        for e in range(self.graph.first[node], self.graph.first[node + 1]):
            for detail in range(edge_details(self.graph, &self.graph.layer[layer], &self.graph.edges[e])):
                if self.outcome != DONE:
                    return least
                self.step(layer, node, e, detail)
                changes = self.changes_at(layer)
                after[self.graph.layer[layer].colour] = self.doomed_behind(layer)
                rest = after[0] + after[1] + after[2] + after[3]
                if changed + changes + rest <= self.allowed:
                    rest = self.search_from(layer + 1, self.graph.edges[e].to, changed + changes, after)
                    if rest == FOUND:
                        return FOUND
                least = min(least, changes + rest)
        if found == self.known[layer].end():
            self.known_count += 1
            if self.known_count > MOST_KNOWN:
                self.outcome = TOO_LARGE
        self.known[layer][key] = least
        return least

    cdef void step(self, int layer, u32 node, u32 edge, u32 detail) noexcept nogil:
        cdef Place* place = &self.walk.place[layer]
        place.node = node
        place.edge = edge
        place.detail = detail
        place.details = edge_details(self.graph, &self.graph.layer[layer], &self.graph.edges[edge])
        self.walk.take(layer)

    cdef int changes_at(self, int layer) noexcept nogil:
        """How many old sets end at the layer and are not among those that it finished."""
        cdef int begin = self.walk.place[layer - 1].sets if layer else 0, copies, changes = 0
        cdef u32 code
        cdef size_t k
        for k in range(self.ending[layer].size()):
            code = self.ending[layer][k]
            if k and code == self.ending[layer][k - 1]:
                continue            # all copies are counted with the first
            copies = times(code, self.ending[layer].data(), <int> self.ending[layer].size())
            changes += max(0, copies - times(code, self.walk.sets + begin, self.walk.place[layer].sets - begin))
        return changes

    cdef int doomed_behind(self, int layer) noexcept nogil:
        """How many old runs of the layer's colour are under way behind it, and no open run is their beginning."""
        cdef const Place* place = &self.walk.place[layer]
        cdef int k, doomed = <int> self.begun[layer].size(), copies
        for k in range(place.runs):
            copies = times(place.run[k].code, self.begun[layer].data(), <int> self.begun[layer].size())
            doomed -= min(copies, <int> place.run[k].copies)
        return doomed

    cdef void describe(self, int layer, u32 node, Key& key) noexcept nogil:
        """All that the rest depends on."""
        cdef int c, i = layer - 1, k, given = 0
        cdef const Place* place
        while i >= 0 and self.graph.layer[i].number == self.graph.layer[layer].number:
            given |= self.walk.place[i].given << 2 * self.graph.layer[i].colour
            i -= 1
        key.push_back(node)
        key.push_back(given)
        for c in range(4):
            i = self.latest[layer][c]
            if i >= 0:
                place = &self.walk.place[i]
                for k in range(place.runs):
                    key.push_back(place.run[k].code if times(place.run[k].code, self.begun[i].data(),
                                                             <int> self.begun[i].size()) else 0)


cdef inline u32 beginning(u32 run, int length) noexcept nogil:
    return run_code(set_colour(run), set_number(run), length, set_detail(run) & ((1u << length) - 1))


cdef inline int times(u32 code, const u32* codes, int count) noexcept nogil:
    """How often the code is among others."""
    cdef int i, found = 0
    for i in range(count):
        found += codes[i] == code
    return found


cdef int fewest_changes(Diagram diagram, const u32* old, int old_sets, u32* codes, StopPointer stop) except -2:
    cdef Search search
    cdef int none[4]
    cdef int least = 0
    if not diagram.graph.count:
        return -1
    search = Search(diagram)
    search.stop = stop
    memset(none, 0, sizeof(none))
    with nogil:
        search.prepare(old, old_sets)
        while least != FOUND and search.outcome == DONE:
            search.allowed = least
            least = search.search_from(0, 0, 0, none)
    raise_outcome(search.outcome, stop, "equally good moves")
    memcpy(codes, search.walk.sets, search.walk.count * sizeof(u32))
    return search.walk.count
