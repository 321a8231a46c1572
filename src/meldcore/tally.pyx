"""See tally.pxd. The functions here serve the opening turn that may also use the table (RULES.md 2, 4)."""

from cython.operator cimport dereference
from libcpp.algorithm cimport sort
from libcpp.map cimport map
from libcpp.vector cimport vector

from meldcore.bits cimport u32, u64
from meldcore.plan cimport Layer, Plan
from meldcore.tables cimport MAX_JOKERS, MAX_SHAPES, SHAPE_BITS, Automata, Choice, Span, choice_span, layout_span

# A small frontier: the best value, shapes of the colours, tiles given to groups at this number (2 bits each), jokers.
cdef enum:
    VALUE_BITS = 15
    SHAPES = VALUE_BITS
    GIVEN = SHAPES + 4 * SHAPE_BITS
    USED = GIVEN + 8
    MOST_HELD = 8000000             # small frontiers of all profiles: 64 MB
    MOST_KNOWN = 1000000            # about 60 MB
    MOST_PROFILES = 250000          # their numbers have to fit a frontier key


cdef class Tally:
    cdef void reset(self, const Plan* plan) noexcept nogil:
        self.plan = plan
        self.lay = plan.problem.lay
        self.part = plan.problem.part and plan.problem.threshold > 0
        self.threshold = plan.problem.threshold
        self.joker_value = plan.problem.joker_value
        self.must_jokers = plan.problem.must_jokers
        self.jokers = plan.problem.jokers - plan.problem.must_jokers
        self.on = self.lay or self.threshold > 0
        self.clear()
        if self.part:
            self.scratch.push_back(0)
            self.intern()
            self.scratch.push_back(self.threshold)
            self.intern()

    cdef void clear(self) noexcept nogil:
        self.numbers.clear()
        self.profiles.clear()
        self.known.clear()
        self.scratch.clear()
        self.held = 0

    cdef bint is_full(self) noexcept nogil:
        return self.held > MOST_HELD or self.known.size() > MOST_KNOWN or self.profiles.size() > MOST_PROFILES

    cdef u32 intern(self) noexcept nogil:
        """The number of the profile in `scratch`, unsorted and with values that others exceed; empties it."""
        cdef map[vector[u64], u32].iterator found
        cdef size_t k, kept = 0
        sort(self.scratch.begin(), self.scratch.end())
        for k in range(self.scratch.size()):
            if k + 1 < self.scratch.size() and self.scratch[k] >> VALUE_BITS == self.scratch[k + 1] >> VALUE_BITS:
                continue
            self.scratch[kept] = self.scratch[k]
            kept += 1
        self.scratch.resize(kept)
        found = self.numbers.find(self.scratch)
        if found == self.numbers.end():
            self.held += kept
            self.numbers[self.scratch] = <u32> self.profiles.size()
            found = self.numbers.find(self.scratch)
            self.profiles.push_back(&dereference(found).first)
        self.scratch.clear()
        return dereference(found).second

    cdef u32 profile_tiles(self, u32 profile, const Layer* layer, int played) noexcept nogil:
        """`played` tiles of this layer come from the hand; any number of them goes into the part."""
        cdef const Automata* a = self.plan.automata
        cdef u64 memo = (((<u64> profile << 8 | layer.number) << 8) | layer.colour) << 8 | <u64> played
        cdef map[u64, u32].iterator found = self.known.find(memo)
        cdef const Choice* choice
        cdef Span span
        cdef u64 key, rest
        cdef size_t k
        cdef u32 i
        cdef int jokers, value, shape_at = SHAPES + SHAPE_BITS * layer.colour
        if profile == REACHED:
            return profile
        if found != self.known.end():
            return dereference(found).second
        for k in range(self.profiles[profile].size()):
            key = dereference(self.profiles[profile])[k]
            jokers = key >> USED
            rest = key & ~(<u64> (MAX_SHAPES - 1) << shape_at) & ((<u64> 1 << USED) - 1)
            rest = rest >> VALUE_BITS << VALUE_BITS
            span = choice_span(a, 0, played, key >> shape_at & (MAX_SHAPES - 1))
            for i in range(span.count):
                choice = a.choices + span.first + i
                if jokers + choice.b > self.jokers:
                    break
                value = (key & ((1 << VALUE_BITS) - 1)) + (choice.r + choice.g) * layer.value
                value = min(value + choice.b * joker_points(self, layer), self.threshold)
                self.scratch.push_back(rest | <u64> choice.to << shape_at | <u64> choice.g << (GIVEN + 2 * layer.colour)
                                       | <u64> (jokers + choice.b) << USED | <u64> value)
        self.known[memo] = self.intern()
        return self.known[memo]

    cdef u32 profile_groups(self, u32 profile, const Layer* layer) noexcept nogil:
        """The groups of a number: those small frontiers stay whose tiles form groups, with some number of jokers."""
        cdef const Automata* a = self.plan.automata
        cdef u64 memo = ((<u64> profile << 8 | layer.number) << 8 | 15) << 8
        cdef map[u64, u32].iterator found = self.known.find(memo)
        cdef u64 key
        cdef size_t k
        cdef int jokers, used, value
        cdef bint reached = False
        if profile == REACHED:
            return profile
        if found != self.known.end():
            return dereference(found).second
        for k in range(self.profiles[profile].size()):
            key = dereference(self.profiles[profile])[k]
            used = key >> USED
            for jokers in range(min(MAX_JOKERS, self.jokers - used) + 1):
                if layout_span(a, key >> GIVEN & 255, jokers).count:
                    value = (key & ((1 << VALUE_BITS) - 1)) + jokers * joker_points(self, layer)
                    value = min(value, self.threshold)
                    self.scratch.push_back((key & (<u64> 1 << GIVEN) - 1) >> VALUE_BITS << VALUE_BITS
                                           | <u64> (used + jokers) << USED | <u64> value)
                    reached |= self.scratch.back() == <u64> self.threshold
        if reached:
            self.scratch.clear()
            self.known[memo] = REACHED
        else:
            self.known[memo] = self.intern()
        return self.known[memo]

    cdef bint profile_accepts(self, u32 profile, int jokers) noexcept nogil:
        """Does the part reach the threshold with at most `jokers` jokers?"""
        cdef u64 key
        cdef size_t k
        if profile == REACHED:
            return True
        for k in range(self.profiles[profile].size()):
            key = dereference(self.profiles[profile])[k]
            if not key >> SHAPES & ((<u64> 1 << 4 * SHAPE_BITS) - 1) and <int> (key >> USED) <= jokers:
                if <int> (key & ((1 << VALUE_BITS) - 1)) >= self.threshold:
                    return True
        return False
