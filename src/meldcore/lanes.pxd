"""Eight unsigned 16-bit numbers worked on at once: one instruction each with SSE 4.1, plain loops elsewhere."""

from meldcore.bits cimport u8, u16

cdef extern from *:
    """
    #include <cstdint>
    #if defined(__SSE4_1__)
    #include <smmintrin.h>
    typedef __m128i meldcore_lanes;
    static inline meldcore_lanes meldcore_fill(int x) { return _mm_set1_epi16((short) x); }
    static inline meldcore_lanes meldcore_load(const uint16_t *from) { return _mm_loadu_si128((const __m128i *) from); }
    static inline void meldcore_store(uint16_t *to, meldcore_lanes a) { _mm_storeu_si128((__m128i *) to, a); }
    static inline meldcore_lanes meldcore_larger(meldcore_lanes a, meldcore_lanes b) { return _mm_max_epu16(a, b); }
    static inline meldcore_lanes meldcore_less(meldcore_lanes a, meldcore_lanes b) { return _mm_subs_epu16(a, b); }
    static inline meldcore_lanes meldcore_more(meldcore_lanes a, meldcore_lanes b) {
        return _mm_andnot_si128(_mm_cmpeq_epi16(a, _mm_setzero_si128()), _mm_adds_epu16(a, b));
    }
    static inline meldcore_lanes meldcore_moved(meldcore_lanes a, const uint8_t *from) {
        return _mm_shuffle_epi8(a, _mm_loadu_si128((const __m128i *) from));
    }
    static inline int meldcore_largest(meldcore_lanes a) {
        return 65535 - (_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_xor_si128(a, _mm_set1_epi8(-1)))) & 65535);
    }
    #else
    struct meldcore_lanes { uint16_t at[8]; };
    template <class F> static inline meldcore_lanes meldcore_each(F f) {
        meldcore_lanes r;
        for (int i = 0; i < 8; i++) r.at[i] = (uint16_t) f(i);
        return r;
    }
    static inline meldcore_lanes meldcore_fill(int x) { return meldcore_each([=](int) { return x; }); }
    static inline meldcore_lanes meldcore_load(const uint16_t *from) {
        return meldcore_each([=](int i) { return from[i]; });
    }
    static inline void meldcore_store(uint16_t *to, meldcore_lanes a) { for (int i = 0; i < 8; i++) to[i] = a.at[i]; }
    static inline meldcore_lanes meldcore_larger(meldcore_lanes a, meldcore_lanes b) {
        return meldcore_each([&](int i) { return a.at[i] > b.at[i] ? a.at[i] : b.at[i]; });
    }
    static inline meldcore_lanes meldcore_less(meldcore_lanes a, meldcore_lanes b) {
        return meldcore_each([&](int i) { return a.at[i] > b.at[i] ? a.at[i] - b.at[i] : 0; });
    }
    static inline meldcore_lanes meldcore_more(meldcore_lanes a, meldcore_lanes b) {
        return meldcore_each([&](int i) { int x = a.at[i] + b.at[i]; return !a.at[i] ? 0 : x > 65535 ? 65535 : x; });
    }
    static inline meldcore_lanes meldcore_moved(meldcore_lanes a, const uint8_t *from) {
        return meldcore_each([&](int i) { return from[2 * i] & 128 ? 0 : a.at[from[2 * i] >> 1]; });
    }
    static inline int meldcore_largest(meldcore_lanes a) {
        int r = 0;
        for (int i = 0; i < 8; i++) if (a.at[i] > r) r = a.at[i];
        return r;
    }
    #endif
    """
    ctypedef struct Lanes "meldcore_lanes":
        pass

    Lanes fill "meldcore_fill"(int x) noexcept nogil                        # x in every lane
    Lanes load "meldcore_load"(const u16* at) noexcept nogil
    void store "meldcore_store"(u16* at, Lanes a) noexcept nogil
    Lanes larger "meldcore_larger"(Lanes a, Lanes b) noexcept nogil
    Lanes less "meldcore_less"(Lanes a, Lanes b) noexcept nogil             # a - b, 0 where b is larger
    Lanes more "meldcore_more"(Lanes a, Lanes b) noexcept nogil             # a + b, at most 65535, but 0 stays 0
    # Lane i of the result is the lane of `a` that two bytes name, 2 * lane and 2 * lane + 1; 0 where they are 128.
    Lanes moved "meldcore_moved"(Lanes a, const u8* lane_bytes) noexcept nogil
    int largest "meldcore_largest"(Lanes a) noexcept nogil                  # the largest of the eight
