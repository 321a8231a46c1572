"""What ends a search early: a time limit, or somebody who cancels it."""

cdef extern from *:
    """
    #include <chrono>
    static inline double meldcore_now() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    """
    double now "meldcore_now"() noexcept nogil          # seconds from some fixed time on

cdef struct StopFlag:
    bint cancelled              # set by any thread, at any time
    double deadline             # by `now`; 0: there is none

ctypedef const volatile StopFlag* StopPointer


cdef inline bint is_due(StopPointer flag) noexcept nogil:
    """Searches ask this every few microseconds; NULL never ends."""
    return flag != NULL and (flag.cancelled or (flag.deadline != 0 and now() >= flag.deadline))


cdef class Stop:
    cdef StopFlag flag


# The flag of a Stop, or of None.
cdef StopPointer flag_of(Stop stop) noexcept

# Raise what ended a search.
cdef int raise_due(StopPointer flag) except -1
