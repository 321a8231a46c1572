"""What a sweep tracks beside the frontier: whether a tile was laid yet, and what the opening sets are worth.

A tally is a small number kept in the upper bits of a frontier key. Like everything in the key it is a function of the
arrangement built so far, so that each arrangement is exactly one path. Bit 0: a tile beyond the table's was used (a
joker shows at the end). The bits above: the value of the sets so far, capped at the threshold; or, where some part of
the played tiles has to be worth the threshold by itself, the number of a profile.
"""

from libcpp.map cimport map
from libcpp.vector cimport vector

from meldcore.bits cimport u32, u64
from meldcore.plan cimport Layer, Plan

cdef enum:
    REACHED = 1         # the profile that has the threshold for good, whatever follows


cdef class Tally:
    cdef bint on                        # False: nothing is tracked, every tally is 0
    cdef bint lay
    cdef bint part
    cdef int threshold
    cdef int joker_value
    cdef int must_jokers
    cdef int jokers
    cdef const Plan* plan

    # Profiles: what the tiles played so far can form by themselves. A profile is a set of small frontiers (shapes of
    # the four colours, tiles given to groups, jokers used), each with the best value of the sets that lead to it:
    # sorted numbers, the value in the lowest bits.
    cdef map[vector[u64], u32] numbers  # owns the profiles
    cdef vector[const vector[u64]*] profiles
    cdef map[u64, u32] known            # profile, number, colour and tiles played -> next profile
    cdef vector[u64] scratch
    cdef size_t held

    cdef void reset(self, const Plan* plan) noexcept nogil
    # Forget the profiles.
    cdef void clear(self) noexcept nogil
    # Do the profiles take all the memory that they may? Sweeps have to end then.
    cdef bint is_full(self) noexcept nogil
    cdef u32 intern(self) noexcept nogil
    cdef u32 profile_tiles(self, u32 profile, const Layer* layer, int played) noexcept nogil
    cdef u32 profile_groups(self, u32 profile, const Layer* layer) noexcept nogil
    cdef bint profile_accepts(self, u32 profile, int jokers) noexcept nogil


cdef inline int joker_points(Tally tally, const Layer* layer) noexcept nogil:
    return layer.value if tally.joker_value < 0 else tally.joker_value


cdef inline u32 tally_step(Tally tally, u32 t, const Layer* layer, int used, int jokers) noexcept nogil:
    """After a step of a colour that uses `used` tiles, and `jokers` in runs."""
    cdef u32 value
    cdef int played = used - layer.must
    if tally.part:
        return <u32> (t & 1 or played > 0) | tally.profile_tiles(t >> 1, layer, played) << 1
    value = t >> 1
    if tally.threshold:
        value += used * layer.value + jokers * joker_points(tally, layer)
        value = min(value, <u32> tally.threshold)
    return <u32> (t & 1 or played > 0) | value << 1


cdef inline u32 tally_groups(Tally tally, u32 t, const Layer* layer, int jokers) noexcept nogil:
    """After the groups of a number, which hold `jokers` jokers."""
    if tally.part:
        return t & 1 | tally.profile_groups(t >> 1, layer) << 1
    if tally.threshold:
        return t & 1 | min((t >> 1) + jokers * joker_points(tally, layer), <u32> tally.threshold) << 1
    return t


cdef inline bint tally_accepts(Tally tally, u32 t, int jokers_used) noexcept nogil:
    if jokers_used < tally.must_jokers:
        return False
    if tally.lay and not t & 1 and jokers_used == tally.must_jokers:
        return False
    if tally.part:
        return tally.profile_accepts(t >> 1, jokers_used - tally.must_jokers)
    return t >> 1 >= <u32> tally.threshold
