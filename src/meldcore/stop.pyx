"""See stop.pxd."""

from meldcore.errors import BadRequest, Cancelled, TimeLimit


cdef class Stop:
    """Stop(time_limit=None)

    Ends searches early. Give one to `count`, `moves`, `best` or `plays`, and cancel it from another thread.

    time_limit: seconds from now, or None. A search that is ended so raises TimeLimit or Cancelled, within milliseconds.
    """

    def __init__(self, time_limit=None):
        if time_limit is not None:
            self.start(time_limit)

    def start(self, double time_limit):
        """Begin anew: `time_limit` seconds are left."""
        if not time_limit >= 0:
            raise BadRequest(f"a time limit is 0 seconds or more, not {time_limit:g}", path="$.time_limit_ms")
        self.flag.deadline = now() + max(time_limit, 1e-9)

    def cancel(self):
        """End every search that was given this, now and later."""
        self.flag.cancelled = True

    @property
    def cancelled(self):
        """Was it cancelled?"""
        return self.flag.cancelled

    @property
    def due(self):
        """Do searches have to end?"""
        return is_due(&self.flag)

    def check(self):
        """Raise Cancelled or TimeLimit where searches have to end."""
        if is_due(&self.flag):
            raise_due(&self.flag)


cdef StopPointer flag_of(Stop stop) noexcept:
    if stop is None:
        return NULL
    return &stop.flag


cdef int raise_due(StopPointer flag) except -1:
    if flag.cancelled:
        raise Cancelled("the search was cancelled")
    raise TimeLimit("the time limit was reached before the answer", path="$.time_limit_ms")
