"""A set of frontier keys (plan.pxd) in the order of their arrival: key -> index. The core's one hash table."""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from meldcore.bits cimport u32, u64

cdef struct Keys:
    u64* keys
    u32* homes              # the slot of each key
    u32* slots              # index + 1, 0 where free; twice the room
    u32 entries
    u32 room                # a power of two; growing is the caller's business (grow_keys), once a node
    int shift               # of a hash to a slot


cdef inline u32 slot_of(const Keys* k, u64 key) noexcept nogil:
    return <u32> (key * 0x9E3779B97F4A7C15ULL >> k.shift)


cdef inline bint grow_keys(Keys* k, int room_bits) except -1 nogil:
    """Room for 1 << room_bits keys; those there stay."""
    cdef size_t room = <size_t> 1 << room_bits
    cdef u32 i, h
    k.keys = <u64*> realloc(k.keys, room * sizeof(u64))
    k.homes = <u32*> realloc(k.homes, room * sizeof(u32))
    free(k.slots)
    k.slots = <u32*> calloc(2 * room, sizeof(u32))
    if k.keys == NULL or k.homes == NULL or k.slots == NULL:
        raise MemoryError()
    k.room = <u32> room
    k.shift = 63 - room_bits
    for i in range(k.entries):
        h = slot_of(k, k.keys[i])
        while k.slots[h]:
            h = (h + 1) & (2 * k.room - 1)
        k.slots[h] = i + 1
        k.homes[i] = h
    return True


cdef inline void free_keys(Keys* k) noexcept nogil:
    free(k.keys)
    free(k.homes)
    free(k.slots)


cdef inline void clear_keys(Keys* k) noexcept nogil:
    cdef u32 i
    if k.entries > k.room >> 3:
        memset(k.slots, 0, 2 * <size_t> k.room * sizeof(u32))
    else:
        for i in range(k.entries):
            k.slots[k.homes[i]] = 0
    k.entries = 0


cdef inline u32 place_of(Keys* k, u64 key) noexcept nogil:
    """The index of the key, which is added where it is new; there has to be room for one more."""
    cdef u32 h = slot_of(k, key)
    cdef u32 i = k.slots[h]
    while i and k.keys[i - 1] != key:
        h = (h + 1) & (2 * k.room - 1)
        i = k.slots[h]
    if i:
        return i - 1
    k.keys[k.entries] = key
    k.homes[k.entries] = h
    k.entries += 1
    k.slots[h] = k.entries
    return k.entries - 1
