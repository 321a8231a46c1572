"""See tally.pxd. The functions here serve the opening turn that may also use the table (RULES.md 2, 4)."""

from libcpp.map cimport map
from cython.operator cimport dereference, preincrement

from meldcore.bits cimport u32, u64
from meldcore.plan cimport Layer, Plan
from meldcore.tables cimport MAX_JOKERS, Automata, Choice, Span, choice_span, layout_span

# A small frontier: shapes of the colours (8 bits each), tiles given to groups at this number (2 bits each), jokers.
cdef enum:
    GIVEN = 32
    USED = 40
    REACHED = 1         # the profile that has the threshold for good, whatever follows


cdef class Tally:
    cdef void reset(self, const Plan* plan) noexcept nogil:
        cdef map[u64, int] nothing
        self.plan = plan
        self.lay = plan.problem.lay
        self.part = plan.problem.part and plan.problem.threshold > 0
        self.threshold = plan.problem.threshold
        self.joker_value = plan.problem.joker_value
        self.must_jokers = plan.problem.must_jokers
        self.jokers = plan.problem.jokers - plan.problem.must_jokers
        self.on = self.lay or self.threshold > 0
        if self.part:
            self.profiles.clear()
            self.numbers.clear()
            self.known.clear()
            nothing[0] = 0
            self.intern(nothing)
            nothing[0] = self.threshold
            self.intern(nothing)

    cdef u32 intern(self, map[u64, int]& profile) noexcept nogil:
        cdef map[map[u64, int], u32].iterator found = self.numbers.find(profile)
        if found != self.numbers.end():
            return dereference(found).second
        self.numbers[profile] = <u32> self.profiles.size()
        self.profiles.push_back(profile)
        return <u32> self.profiles.size() - 1

    cdef u32 profile_tiles(self, u32 profile, const Layer* layer, int played) noexcept nogil:
        """`played` tiles of this layer come from the hand; any number of them goes into the part."""
        cdef const Automata* a = self.plan.automata
        cdef u64 memo = (((<u64> profile << 8 | layer.number) << 8) | layer.colour) << 8 | <u64> played
        cdef map[u64, u32].iterator found = self.known.find(memo)
        cdef map[u64, int] after
        cdef map[u64, int].iterator at, end
        cdef const Choice* choice
        cdef Span span
        cdef u64 key, rest, following
        cdef u32 k
        cdef int jokers, value, c = layer.colour
        if profile == REACHED:
            return profile
        if found != self.known.end():
            return dereference(found).second
        at = self.profiles[profile].begin()
        end = self.profiles[profile].end()
        while at != end:
            key = dereference(at).first
            jokers = key >> USED
            rest = key & ~(<u64> 255 << 8 * c) & ((<u64> 1 << USED) - 1)
            span = choice_span(a, 0, played, key >> 8 * c & 255)
            for k in range(span.count):
                choice = a.choices + span.first + k
                if jokers + choice.b > self.jokers:
                    break
                following = rest | <u64> choice.to << 8 * c | <u64> choice.g << (GIVEN + 2 * c)
                following |= <u64> (jokers + choice.b) << USED
                value = dereference(at).second + (choice.r + choice.g) * layer.number
                value += choice.b * joker_points(self, layer.number)
                after[following] = max(after[following], min(value, self.threshold))
            preincrement(at)
        self.known[memo] = self.intern(after)
        return self.known[memo]

    cdef u32 profile_groups(self, u32 profile, const Layer* layer) noexcept nogil:
        """The groups of a number: those small frontiers stay whose tiles form groups, with some number of jokers."""
        cdef const Automata* a = self.plan.automata
        cdef u64 memo = ((<u64> profile << 8 | layer.number) << 8 | 15) << 8
        cdef map[u64, u32].iterator found = self.known.find(memo)
        cdef map[u64, int] after
        cdef map[u64, int].iterator at, end
        cdef u64 key, shapes
        cdef int jokers, used, value
        if profile == REACHED:
            return profile
        if found != self.known.end():
            return dereference(found).second
        at = self.profiles[profile].begin()
        end = self.profiles[profile].end()
        while at != end:
            key = dereference(at).first
            shapes = key & 0xffffffffULL
            used = key >> USED
            for jokers in range(min(MAX_JOKERS, self.jokers - used) + 1):
                if layout_span(a, key >> GIVEN & 255, jokers).count:
                    value = min(dereference(at).second + jokers * joker_points(self, layer.number), self.threshold)
                    key = shapes | <u64> (used + jokers) << USED
                    after[key] = max(after[key], value)
                    key = dereference(at).first
            preincrement(at)
        if after.count(0) and after[0] >= self.threshold:
            self.known[memo] = REACHED
        else:
            self.known[memo] = self.intern(after)
        return self.known[memo]

    cdef bint profile_accepts(self, u32 profile, int jokers) noexcept nogil:
        """Does the part reach the threshold with at most `jokers` jokers?"""
        cdef map[u64, int].iterator at = self.profiles[profile].begin()
        if profile == REACHED:
            return True
        while at != self.profiles[profile].end():
            if not dereference(at).first & 0xffffffffULL and <int> (dereference(at).first >> USED) <= jokers:
                if dereference(at).second >= self.threshold:
                    return True
            preincrement(at)
        return False
