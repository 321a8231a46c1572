"""How a search ended, told apart without the GIL; and the error that says so."""

from meldcore.stop cimport StopPointer

cdef enum Outcome:
    FAILED = -1         # with a Python error set
    DONE
    TOO_WIDE            # a count does not fit 128 bits
    TOO_LARGE           # it needs more memory than it may have
    STOPPED

# Nothing for DONE, else raise TooLarge, TimeLimit or Cancelled. `what` is what was searched for: "moves".
cdef int raise_outcome(Outcome outcome, StopPointer stop, str what) except -1
