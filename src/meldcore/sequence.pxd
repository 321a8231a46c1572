"""What all lazy sequences share: a range of ranks, and items that are made when they are asked for."""

cdef class LazySequence:
    cdef object ranks               # a range; the whole sequence is range(number of items)

    # The item with this rank.
    cdef object at(self, object rank)
    # The rank of an item in the whole sequence, None where it is not there.
    cdef object rank_of(self, object item)
    # The same sequence over other ranks.
    cdef LazySequence part(self, object ranks)
    # Items of range(total), forwards.
    cdef object walk_all(self)
    cdef bint is_whole(self)
    # The ranks of the whole sequence.
    cdef object whole(self)
    cdef str sliced(self)
