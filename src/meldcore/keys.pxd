"""A set of frontier keys (plan.pxd) in the order of their arrival: key -> index. The hash table of the sweeps.

A slot holds the generation in which it was filled, and the index. Emptying the set begins a new generation, so that the
slots need not be touched.
"""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from meldcore.bits cimport u32, u64

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define meldcore_prefetch(p) __builtin_prefetch(p, 1)
    #else
    #define meldcore_prefetch(p) ((void) (p))
    #endif
    """
    void prefetch "meldcore_prefetch"(const void* place) noexcept nogil

cdef enum:
    INDEX_BITS = 22         # at most 4 million keys
    LAST_GENERATION = (1 << (32 - INDEX_BITS)) - 1

cdef struct Keys:
    u64* keys
    u32* slots              # twice the room; generation << INDEX_BITS | index
    u32 entries
    u32 room                # a power of two; growing is the caller's business (grow_keys), once a node
    u32 generation          # from 1
    int shift               # of a hash to a slot


cdef inline u32 slot_of(const Keys* k, u64 key) noexcept nogil:
    return <u32> (key * 0x9E3779B97F4A7C15ULL >> k.shift)


cdef inline bint grow_keys(Keys* k, int room_bits) except -1 nogil:
    """Room for 1 << room_bits keys; those there stay."""
    cdef size_t room = <size_t> 1 << room_bits
    cdef u32 i, h
    if room_bits > INDEX_BITS:
        raise MemoryError("more frontiers than a search may hold")
    k.keys = <u64*> realloc(k.keys, room * sizeof(u64))
    free(k.slots)
    k.slots = <u32*> calloc(2 * room, sizeof(u32))
    if k.keys == NULL or k.slots == NULL:
        raise MemoryError()
    k.room = <u32> room
    k.generation = 1
    k.shift = 63 - room_bits
    for i in range(k.entries):
        h = slot_of(k, k.keys[i])
        while k.slots[h]:
            h = (h + 1) & (2 * k.room - 1)
        k.slots[h] = 1 << INDEX_BITS | i
    return True


cdef inline void free_keys(Keys* k) noexcept nogil:
    free(k.keys)
    free(k.slots)


cdef inline void clear_keys(Keys* k) noexcept nogil:
    k.entries = 0
    k.generation += 1
    if k.generation > LAST_GENERATION:
        k.generation = 1
        memset(k.slots, 0, 2 * <size_t> k.room * sizeof(u32))


cdef inline u32 place_of(Keys* k, u64 key) noexcept nogil:
    """The index of the key, which is added where it is new; there has to be room for one more."""
    cdef u32 h = slot_of(k, key)
    cdef u32 slot = k.slots[h]
    while slot >> INDEX_BITS == k.generation:
        slot &= (1 << INDEX_BITS) - 1
        if k.keys[slot] == key:
            return slot
        h = (h + 1) & (2 * k.room - 1)
        slot = k.slots[h]
    k.keys[k.entries] = key
    k.slots[h] = k.generation << INDEX_BITS | k.entries
    k.entries += 1
    return k.entries - 1
