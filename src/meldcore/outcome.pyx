"""See outcome.pxd."""

from meldcore.errors import TooLarge

from meldcore.stop cimport StopPointer, raise_due


cdef int raise_outcome(Outcome outcome, StopPointer stop, str what) except -1:
    if outcome == STOPPED:
        raise_due(stop)
    if outcome == TOO_LARGE:
        raise TooLarge(f"the {what} of this position take more memory than a search may use")
    if outcome == TOO_WIDE:
        raise TooLarge(f"there are 2**128 {what} or more")
    return 0
