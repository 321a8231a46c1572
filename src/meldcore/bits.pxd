"""Integer types and the few bit operations that the core is built on."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef uint8_t u8
ctypedef uint16_t u16
ctypedef uint32_t u32
ctypedef uint64_t u64
ctypedef int8_t i8
ctypedef int64_t i64

cdef extern from *:
    """
    #include <bit>
    #include <cstdint>
    typedef unsigned __int128 meldcore_u128;
    static inline int meldcore_popcount(uint64_t x) { return std::popcount(x); }
    static inline int meldcore_bit_width(uint64_t x) { return std::bit_width(x); }
    static inline int meldcore_lowest(uint64_t x) { return std::countr_zero(x); }
    static inline bool meldcore_add(meldcore_u128 a, meldcore_u128 b, meldcore_u128 *out) {
        return __builtin_add_overflow(a, b, out);
    }
    static inline bool meldcore_mul(meldcore_u128 a, meldcore_u128 b, meldcore_u128 *out) {
        return __builtin_mul_overflow(a, b, out);
    }
    static inline bool meldcore_add(uint64_t a, uint64_t b, uint64_t *out) { return __builtin_add_overflow(a, b, out); }
    static inline bool meldcore_mul(uint64_t a, uint64_t b, uint64_t *out) { return __builtin_mul_overflow(a, b, out); }
    """
    # Cython is told a 64-bit type; arithmetic goes to the C compiler as it is, so nothing is cut short. Never let
    # Cython convert a u128 to a Python object: to_python does that.
    ctypedef unsigned long u128 "meldcore_u128"

    int popcount "meldcore_popcount"(u64 x) noexcept nogil
    int lowest "meldcore_lowest"(u64 x) noexcept nogil                   # place of the lowest set bit; x is not 0
    int bit_width "meldcore_bit_width"(u64 x) noexcept nogil                # 0 for 0
    # the result is stored in `out`; true when it does not fit
    bint add_over "meldcore_add"(u64 a, u64 b, u64* out) noexcept nogil
    bint add_over "meldcore_add"(u128 a, u128 b, u128* out) noexcept nogil
    bint mul_over "meldcore_mul"(u64 a, u64 b, u64* out) noexcept nogil
    bint mul_over "meldcore_mul"(u128 a, u128 b, u128* out) noexcept nogil


cdef inline object to_python(u128 x):
    return ((<object> <u64> (x >> 64)) << 64) | <u64> x


cdef inline u128 from_python(object x) except? 0:
    """x is a Python int in 0 .. 2**128 - 1."""
    return (<u128> <u64> (x >> 64)) << 64 | <u64> (x & 0xffffffffffffffff)
