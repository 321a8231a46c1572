"""See sequence.pxd."""

from collections.abc import Sequence
from random import Random

from meldcore.errors import BadRequest


cdef class LazySequence:
    """A sequence whose items are made when they are asked for. Indices and slices go as far as `total`."""

    @property
    def total(self):
        """How many items there are, an exact int; `len()` raises OverflowError above sys.maxsize."""
        ranks = self.ranks
        return max(0, (ranks.stop - ranks.start + ranks.step - (1 if ranks.step > 0 else -1)) // ranks.step)

    def __len__(self):
        return len(self.ranks)

    def __bool__(self):
        return bool(self.ranks)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.part(self.ranks[index])
        try:
            rank = self.ranks[index]
        except IndexError:
            raise IndexError(f"index {index} of {self.total} {self.noun}") from None
        return self.at(rank)

    def __iter__(self):
        if self.ranks and self.ranks.step == 1:
            return self.walk_all()
        return map(self.item_of_rank, self.ranks)

    def __reversed__(self):
        return map(self.item_of_rank, reversed(self.ranks))

    def item_of_rank(self, rank):
        """The item with this place in the whole sequence, of which this one may be a slice."""
        return self.at(rank)

    def __contains__(self, item):
        rank = self.rank_of(item)
        return rank is not None and rank in self.ranks

    def index(self, item, start=0, stop=None):
        """The place of an item: `sequence[sequence.index(item)] == item`. ValueError where it is not there."""
        rank = self.rank_of(item)
        if rank is not None and rank in self.ranks:
            place = self.ranks.index(rank)
            within = range(self.total)[slice(start, stop)]      # not [start:stop], which Cython cuts to 64 bits
            if place in within:
                return place
        raise ValueError(f"{item!r} is not among these {self.noun}")

    def count(self, item):
        """1 where the item is there, else 0: all items differ."""
        return int(item in self)

    def sample(self, n, seed=None):
        """A list of n items, each drawn uniformly from all, with replacement.

        The same integer seed draws the same items on every platform; None draws anew every time. IndexError where
        there is nothing to draw from.
        """
        for name, value in (("n", n), ("seed", seed)):
            if isinstance(value, bool) or not isinstance(value, int) and not (value is None and name == "seed"):
                raise BadRequest(f"{name} is a whole number, not {value!r}", path=f"$.{name}", token=repr(value))
        if n < 0:
            raise BadRequest(f"n is how many items to draw, not {n}", path="$.n", token=str(n))
        total = self.total
        if n and not total:
            raise IndexError(f"a sample of no {self.noun}")
        random = Random(seed)
        bits = total.bit_length()
        drawn = []
        while len(drawn) < n:
            place = random.getrandbits(bits)
            if place < total:           # every place below the total is as likely as every other
                drawn.append(self.at(self.ranks[place]))
        return drawn

    @property
    def noun(self):
        """What its items are called."""
        return type(self).__name__.lower()

    cdef object at(self, object rank):
        raise NotImplementedError

    cdef object rank_of(self, object item):
        raise NotImplementedError

    cdef LazySequence part(self, object ranks):
        raise NotImplementedError

    cdef object whole(self):
        raise NotImplementedError

    cdef object walk_all(self):
        return map(self.item_of_rank, self.ranks)

    cdef bint is_whole(self):
        return self.ranks == self.whole()

    cdef str sliced(self):
        """The slice, as source text, that leads from the whole to this part of it; empty for the whole."""
        ranks = self.ranks
        if self.is_whole():
            return ""
        if not ranks:
            return "[:0]"
        stop = ranks.start + (self.total - 1) * ranks.step + (1 if ranks.step > 0 else -1)
        return f"[{ranks.start}:{'' if stop < 0 else stop}:{ranks.step}]"


def remake(kind, arguments, ranks):
    """For pickle: the part `ranks` of the whole sequence `kind(*arguments)`."""
    return (<LazySequence> kind(*arguments)).part(ranks)


Sequence.register(LazySequence)
